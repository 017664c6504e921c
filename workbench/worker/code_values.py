"""Values of `run_code` on their way to and from the sandbox: JSON, with a tag for what JSON lacks.

The other end is `workbench.sandbox.code_wire`, which names the tags.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import Any, cast

_LARGEST = 2**53 - 1


class Functions:
    """The functions that one run was handed, by number."""

    def __init__(self) -> None:
        self._held: list[Callable[..., Any]] = []

    def called(self, call: Mapping[str, Any]) -> Any:
        """Call the function that a message names, with its arguments."""
        number: int = call["function"]
        arguments: Any = decoded(call["arguments"])
        return self._held[number](*arguments)

    def encoded(self, value: Any) -> Any:
        """The value as JSON; a function is held, and its number goes. Raises TypeError for what cannot go."""
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            return value if abs(value) <= _LARGEST else {"$": "bigint", "value": str(value)}
        if isinstance(value, float):
            return value if math.isfinite(value) else {"$": "number", "value": _NAMES.get(value, "NaN")}
        if isinstance(value, (bytes, bytearray)):
            return {"$": "bytes", "value": base64.b64encode(value).decode("ascii")}
        if isinstance(value, datetime):
            moment = value if value.tzinfo else value.replace(tzinfo=timezone.utc)
            return {"$": "date", "value": moment.isoformat()}
        if isinstance(value, Mapping):
            members = cast("Mapping[Any, Any]", value)
            pairs = [[_key(key), self.encoded(item)] for key, item in members.items()]
            return {"$": "object", "value": pairs} if "$" in members else dict(pairs)
        if isinstance(value, (list, tuple)):
            return [self.encoded(item) for item in cast("list[Any]", value)]
        if callable(value):
            self._held.append(value)
            return {"$": "function", "value": len(self._held) - 1}
        raise TypeError(f"A value of type {type(value).__name__} cannot be handed to code.")


_NAMES = {math.inf: "Infinity", -math.inf: "-Infinity"}


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"The key {key!r} of a mapping must be text.")
    return key


def decoded(value: Any) -> Any:
    """A value that came back; undefined is None."""
    if isinstance(value, list):
        return [decoded(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Any]", value)
    if "$" not in members:
        return {key: decoded(item) for key, item in members.items()}
    kind = members["$"]
    inner: Any = members.get("value")
    if kind == "bytes":
        return base64.b64decode(inner)
    if kind == "date":
        return datetime.fromisoformat(inner)
    if kind == "bigint":
        return int(inner)
    if kind == "number":
        return float(inner.replace("Infinity", "inf"))
    if kind == "object":
        return {key: decoded(item) for key, item in inner}
    return None
