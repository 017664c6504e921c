"""The definition that a call ran with, as it was then, and how the tool of now differs from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.app.results.definition_then import DefinitionThen, definition_then
from workbench.domain.calls import Call
from workbench.gui.controls.layout import Hairline, line_of
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.texts import Grammar, TextView, pretty_json
from workbench.gui.controls.words import Words
from workbench.gui.results.diff_view import DiffView
from workbench.gui.session.session import Session
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER, HEADER

_FACES = ["Source", "Schema", "Since then"]


class CallDefinition(QWidget):
    """Reads the definition when it is first looked at, and what there is now whenever definitions change."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._call: Call | None = None
        self.then: DefinitionThen | None = None
        self._faces = Segments(_FACES, 0, name="View of the definition")
        self.said = Words("", "ink2", theme.small())
        self._about = Words("", "ink2")
        self._source = TextView(name="Source as it was", on_window=False)
        self._source.setLineWrapMode(TextView.LineWrapMode.NoWrap)
        self._schema = TextView(Grammar.JSON, name="Schema as it was", on_window=False)
        self.difference = DiffView()
        self._pages = QStackedWidget()
        for page in (self._source, self._schema):
            self._pages.addWidget(_inset(page))
        self._pages.addWidget(self.difference)
        margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
        self._about_line = line_of(self._about, None, margins=margins)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(line_of(self._faces, self.said, None, margins=margins, gap=12, height=HEADER))
        layout.addWidget(Hairline())
        layout.addWidget(self._about_line)
        layout.addWidget(self._pages, 1)
        self.setFocusProxy(self._source)
        self._faces.chosen.connect(self.turn_to)
        session.refreshed.connect(self._look_again)

    def show_call(self, call: Call) -> None:
        self._call = call
        self._session.do(self._load(call, is_first=True), self)

    def _look_again(self) -> None:
        if self._call is not None:
            self._session.do(self._load(self._call), self)

    async def _load(self, call: Call, *, is_first: bool = False) -> None:
        then = await self._session.ask(lambda wb: definition_then(wb, call))
        if is_first or then != self.then:
            self.then = then
            self._show(then)

    def _show(self, then: DefinitionThen | None) -> None:
        if then is None:
            self.said.set_words("This call never came to have a definition.")
            self._faces.hide()
            self._about_line.hide()
            return
        if then.is_current:
            self.said.set_words("The tool is the same now")
        elif then.source_now:
            self.said.set_words("The tool is another now", role="warn", mark=Mark.WARNING)
        else:
            self.said.set_words("The tool is not there any more", role="warn", mark=Mark.WARNING)
        self._about.set_words(" ".join(then.description.split()))
        self._about_line.setVisible(bool(then.description))
        self._source.show_text(then.source)
        self._schema.show_text(pretty_json(then.schema))
        self._compare(then)

    def _compare(self, then: DefinitionThen) -> None:
        """By the source; by the schema where the source is the same and something it imports made another."""
        if then.source != then.source_now:
            self.difference.compare(then.source, then.source_now)
        else:
            self.difference.compare(pretty_json(then.schema), pretty_json(then.schema_now))

    def turn_to(self, face: int) -> None:
        """Show the source, the schema, or what became of them since."""
        self._faces.set_current(face)
        self._pages.setCurrentIndex(face)
        self.setFocusProxy((self._source, self._schema, self.difference)[face])

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What is done now of what commands ask for, by their ids."""
        return self.difference.offers() if self._pages.currentWidget() is self.difference else {}


def _inset(text: TextView) -> QWidget:
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(DOCUMENT_GUTTER, 6, 0, 0)
    layout.addWidget(text)
    return holder
