"""The icons of a definition's language, and of a tool's badges: each stands beside its word, or has it for a tip."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.domain.definitions import Language
from workbench.gui.style import theme
from workbench.gui.style.paint import Line

LANGUAGES: Mapping[Language, str] = {
    Language.PYTHON: "python",
    Language.TYPESCRIPT: "typescript",
    Language.MCP: "mcp",
}
BADGES: Mapping[str, str] = {
    "read": "eye",
    "write": "pencil",
    "idempotent": "loop",
    "predicate": "branch",
    "stub": "stub",
}

STUB = 56
"""Room for what a dry run's result is marked with, to the result behind it."""
_ICON = 20


def stub_badge(line: Line, x: float) -> float:
    """Say before a result that a dry run stands behind it (C10); gives the pixels to where that begins."""
    line.icon(BADGES["stub"], x, "ink2")
    line.text("stub", x + _ICON, STUB - _ICON, "ink2", theme.small())
    return STUB
