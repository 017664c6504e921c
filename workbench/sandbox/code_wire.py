"""Values of `run_code` between a tool and the sandbox, as JSON: what JSON lacks is a tag, `{"$": kind, "value": …}`.

Kinds: `bytes` (base64), `date` (ISO-8601), `number` (NaN, Infinity, -Infinity, -0), `bigint` (its digits), `undefined`,
`function` (its number), `object` (pairs: a mapping that has a key `$` itself).
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

from workbench.base.errors import UsageError
from workbench.sandbox.values import UNDEFINED, BigInt

_LARGEST = 2**53 - 1


def decoded(value: object, function: Callable[[int], object]) -> object:
    """The value as the sandbox takes it; `function` gives the one that stands for a number."""
    if isinstance(value, list):
        return [decoded(item, function) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, object]", value)
    if "$" in members:
        return _untagged(str(members["$"]), members.get("value"), function)
    return {key: decoded(item, function) for key, item in members.items()}


def _untagged(kind: str, value: object, function: Callable[[int], object]) -> object:
    match kind:
        case "bytes":
            return base64.b64decode(str(value))
        case "date":
            moment = datetime.fromisoformat(str(value))
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        case "number":
            return float(str(value).replace("Infinity", "inf"))
        case "bigint":
            return BigInt(str(value))
        case "undefined":
            return UNDEFINED
        case "function" if isinstance(value, int):
            return function(value)
        case "object" if isinstance(value, list):
            pairs = cast("list[list[object]]", value)
            return {str(key): decoded(item, function) for key, item in pairs}
        case _:
            raise UsageError(f"A value of run_code has the unknown tag {kind!r}.")


def encoded(value: object) -> object:
    """A value of the sandbox as JSON."""
    if value is UNDEFINED:
        return {"$": "undefined"}
    if isinstance(value, bytes):
        return {"$": "bytes", "value": base64.b64encode(value).decode("ascii")}
    if isinstance(value, datetime):
        return {"$": "date", "value": value.isoformat()}
    if isinstance(value, BigInt) or (isinstance(value, int) and abs(value) > _LARGEST):
        return {"$": "bigint", "value": str(int(value))}
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        if "$" in members:
            return {"$": "object", "value": [[key, encoded(item)] for key, item in members.items()]}
        return {key: encoded(item) for key, item in members.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [encoded(item) for item in cast("Sequence[object]", value)]
    return value


def _number(value: float) -> object:
    if math.isfinite(value):
        if value == 0 and math.copysign(1, value) < 0:
            return {"$": "number", "value": "-0"}
        return int(value) if value.is_integer() and abs(value) <= _LARGEST else value
    return {"$": "number", "value": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
