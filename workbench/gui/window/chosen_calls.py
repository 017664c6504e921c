"""Which calls a command is about: those that are visibly chosen where the keyboard is, and no others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from workbench.base.ids import CallId
from workbench.gui.calls import call_verbs
from workbench.gui.calls.call_verbs import Choosing, Chosen
from workbench.gui.inspector.inspector import Inspector
from workbench.gui.live.live_paint import actions_of
from workbench.gui.live.live_panel import LivePanel
from workbench.gui.live.live_rows import LiveRow
from workbench.gui.window.documents import Documents

_OF_CALLS = ("again-call", "edit-again", "compare-calls", "export-calls", "delete-call")
"""Commands that are never about anything but calls."""
_WAITS = ("waits for you", "wait for you", "does not wait for you")
_STATES = {
    "stop": ("runs", "run", "does not run"),
    "approve": _WAITS,
    "edit": _WAITS,
    "reject": _WAITS,
    "set": ("waits for a variable", "wait for a variable", "does not wait for a variable"),
}
"""How a call must stand, as one says it of none, of several, and of one that does not."""
_WHERE = "in Live calls (Ctrl+L) or in Calls"


class ChosenCalls(QObject):
    """Follows the keyboard through a window: what is asked about a call goes to the one that is chosen there."""

    def __init__(self, live: LivePanel, inspector: Inspector, documents: Documents) -> None:
        super().__init__(documents)
        self._live = live
        self._inspector = inspector
        self._documents = documents
        self._place: QWidget = documents
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._follow)

    def _follow(self, _: QWidget | None, now: QWidget | None) -> None:
        """A menu, the palette or a dialog is not a place: what is asked there is about where one came from."""
        if now is None:
            return
        for panel in (self._live, self._inspector):
            if panel.isAncestorOf(now):
                self._place = panel
                return
        if now.window() is self._documents.window():
            self._place = self._documents

    def get(self) -> Sequence[Chosen]:
        """The calls that are chosen where the keyboard is; none where it is in a form or a text."""
        if self._place is self._live:
            row = self._live.current()
            return [] if row is None else [Chosen(row.call_id, row.state, row.tool)]
        shown = self._inspector.shown if self._place is self._inspector else self._documents.front
        return shown.chosen_calls() if isinstance(shown, Choosing) else []

    # --- what is asked about calls of any age

    def offers(self, ask: Callable[[str, Sequence[CallId]], None]) -> Mapping[str, Callable[[], None]]:
        """What can be done now, by the ids of commands: by the document in front, and about the chosen calls."""
        ways = {**self._documents.offers(), **self._live.offers()}
        if self._place is self._documents:
            return ways
        for command in _OF_CALLS:
            ways.pop(command, None)
        return {
            **ways,
            **call_verbs.offers(self.get(), lambda verb: ask(verb, [one.id for one in self.get()])),
        }

    def why_not_again(self) -> str:
        """Why no call can be run again now."""
        chosen = self.get()
        if len(chosen) > 1:
            return f"choose one call, not {len(chosen)}"
        return "the chosen call has not ended" if chosen else f"choose a call {_WHERE}"

    # --- what is asked about calls that have not ended

    def row_for(self, action: str) -> LiveRow | None:
        """The chosen call if `action` (`live_paint.actions_of`) can be done about it; where none is, the only one."""
        able = self._able(action)
        return able[0] if len(able) == 1 else None

    def why_not(self, action: str) -> str:
        """Why `action` is done to no call, "" when it can be."""
        able, chosen = self._able(action), self.get()
        does, do, does_not = _STATES[action]
        if len(able) == 1:
            return ""
        if len(chosen) > 1:
            return f"choose one call, not {len(chosen)}"
        if chosen:
            return f"the chosen call {does_not}"
        return f"no call {does}" if not able else f"{len(able)} {do}, so choose one {_WHERE}"

    def _able(self, action: str) -> list[LiveRow]:
        """Where calls are chosen, only these count; elsewhere every call that it can be done about."""
        chosen = self.get()
        if chosen:
            found = self._live.model.find(chosen[0].id) if len(chosen) == 1 else None
            rows = [] if found is None else [found]
        else:
            rows = list(self._live.model.calls())
        able = [row for row in rows if _is_able(row, action)]
        return [row for row in able if row.parent not in able]  # what is nested in a call goes with it


def _is_able(row: LiveRow, action: str) -> bool:
    return not row.state.is_final if action == "stop" else action in actions_of(row, near=True)
