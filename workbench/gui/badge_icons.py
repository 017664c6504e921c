"""The icons of a tool's badges, by their ids: each stands beside its word, or has it for a tip."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.gui import theme
from workbench.gui.paint import Line

BADGES: Mapping[str, str] = {
    "read": "eye",
    "write": "pencil",
    "idempotent": "loop",
    "predicate": "branch",
    "stub": "stub",
}

_ICON = 20
_GAP = 8


def stub_badge(line: Line, x: float) -> float:
    """Say before a result that a dry run stands behind it (C10); gives the pixels that it took."""
    line.icon(BADGES["stub"], x, "ink2")
    return line.text("stub", x + _ICON, 40, "ink2", theme.small()) + _ICON + _GAP
