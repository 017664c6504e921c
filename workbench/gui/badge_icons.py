"""The icons of a tool's badges, by their ids: each stands beside its word, or has it for a tip."""

from __future__ import annotations

from collections.abc import Mapping

BADGES: Mapping[str, str] = {
    "read": "eye",
    "write": "pencil",
    "idempotent": "loop",
    "predicate": "branch",
    "stub": "stub",
}
