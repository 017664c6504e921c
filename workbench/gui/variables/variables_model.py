"""The table of variables: missing ones first, then what is set, then what is optional and not set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.app import VariableLine
from workbench.domain.variables import Place, Scope, VariableType
from workbench.gui.controls.row_model import ListedRows

MASK = "••••••••••••"
"""What stands for a secret: always as long."""

SCOPE_WORDS = {
    Scope.THREAD: "Thread",
    Scope.TOOL: "Tool",
    Scope.AGENT: "Agent",
    Scope.PROMPT: "Prompt",
    Scope.ACCOUNT: "Account",
    Scope.INSTANCE: "Instance",
}
PLACE_WORDS = {
    Place.STORE: "this machine",
    Place.KEYRING: "keyring",
    Place.SESSION: "session only",
    Place.ENVIRONMENT: "environment",
    Place.DEFINITION: "definition",
}


@dataclass(frozen=True, slots=True)
class Heading:
    title: str
    count: int
    missing: bool = False


Row = Heading | VariableLine


def origin_of(line: VariableLine) -> tuple[str, str]:
    """The scope a value comes from, and the place it is kept in."""
    if line.is_default:
        return "default", ""
    if not line.is_set or line.scope is None:
        return ("not in any scope" if line.missing else "not set"), ""
    return SCOPE_WORDS[line.scope], PLACE_WORDS[line.place] if line.place else ""


def users(line: VariableLine) -> str:
    """All of whom it is used by."""
    return f"Used by {', '.join(line.used_by)}" if line.used_by else ""


def used_by(line: VariableLine) -> str:
    """`create_refund, +1`."""
    if not line.used_by:
        return ""
    rest = len(line.used_by) - 1
    return f"{line.used_by[0]}, +{rest}" if rest else line.used_by[0]


class VariablesModel(ListedRows[Row]):
    def __init__(self) -> None:
        super().__init__()
        self._lines: Sequence[VariableLine] = ()
        self._filter = ""

    def show_lines(self, lines: Sequence[VariableLine]) -> None:
        self._lines = lines
        self._rebuild()

    def narrow(self, text: str) -> None:
        """Show only what has the text in its name, its users or its value."""
        self._filter = text.strip().casefold()
        self._rebuild()

    def lines(self) -> Sequence[VariableLine]:
        return self._lines

    def position(self, name: str) -> int | None:
        return next(
            (at for at, row in enumerate(self.rows) if isinstance(row, VariableLine) and row.name == name),
            None,
        )

    def _rebuild(self) -> None:
        shown = [line for line in self._lines if self._matches(line)]
        groups = (
            ("Missing and required", [line for line in shown if line.missing]),
            ("Set", [line for line in shown if line.is_set and not line.is_default]),
            (
                "Optional, not set",
                [line for line in shown if not line.missing and (not line.is_set or line.is_default)],
            ),
        )
        rows: list[Row] = []
        for title, lines in groups:
            if lines:
                rows.append(Heading(title, len(lines), missing=lines[0].missing))
                rows += sorted(lines, key=lambda line: line.name)
        self.show(rows)

    def _matches(self, line: VariableLine) -> bool:
        value = line.value or ""
        return any(self._filter in text.casefold() for text in (line.name, value, *line.used_by))

    def selectable(self, row: Row) -> bool:
        return isinstance(row, VariableLine)

    def name(self, row: Row) -> str:
        return row.name if isinstance(row, VariableLine) else row.title

    def words(self, row: Row) -> str:
        if isinstance(row, Heading):
            return f"{row.title}, {row.count}"
        origin, place = origin_of(row)
        state = "missing" if row.missing else (row.value or "set") if row.is_set else "not set"
        if row.type is VariableType.SECRET and row.is_set:
            state = "a secret, set"
        return ", ".join(
            part for part in (row.name, row.type.value, state, origin, place, users(row)) if part
        )

    def tip(self, row: Row) -> str:
        """What does not fit its columns."""
        return "\n".join(filter(None, (row.description, users(row)))) if isinstance(row, VariableLine) else ""
