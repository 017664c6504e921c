"""The schemas of tests/data with their values, numbers exact."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from workbench.base.exact_json import parse

_DATA = Path(__file__).parent.parent / "data"

CASES: list[dict[str, Any]] = cast("dict[str, Any]", parse((_DATA / "schemas.json").read_bytes()))["cases"]
SCHEMAS: dict[str, Any] = {case["id"]: case["schema"] for case in CASES}
REAL_TOOLS: list[dict[str, Any]] = cast(
    "dict[str, Any]", parse((_DATA / "real-mcp-tools.json").read_bytes())
)["tools"]


def values(verdict: str) -> list[tuple[str, Any, Any]]:
    """A name, the schema and the value for each value that a schema `accepts` or `rejects`."""
    return [
        (f"{case['id']}-{index}", case["schema"], value)
        for case in CASES
        for index, value in enumerate(case[verdict])
    ]
