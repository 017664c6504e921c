"""The dialog of the rules that make calls ask before they run: all that there are, and a line to add one (C12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from workbench.app.inputs.break_rules import break_rule, rule_words
from workbench.base.errors import WorkbenchError
from workbench.domain.listing import Listing
from workbench.engine.approvals import BreakRule
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import LineField
from workbench.gui.controls.layout import Hairline, line_of
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask, Work
from workbench.gui.session.session import Session
from workbench.gui.style import paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import FIELD_RADIUS, ROW

_WIDTH = 640
_LABEL = 128
_MOST_ROWS = 8
_ANY_TOOL, _ANY_INPUT = "any tool", "whatever its input"


class BreakRulesDialog(Ask):
    """Adds and removes rules; each change is in force at once."""

    def __init__(self, parent: QWidget, session: Session, tool: str = "") -> None:
        """`tool` is the one in front, for which a rule is likely meant."""
        super().__init__(
            parent,
            "Ask before running",
            "A call that a rule fits waits for your yes, whoever asked for it.",
            width=_WIDTH,
        )
        self._session = session
        self._arguments = {one.name: _arguments_of(one) for one in session.listings if one.tool is not None}
        self._list = QWidget()
        self._rows = QVBoxLayout(self._list)
        self._rows.setContentsMargins(0, 3, 3, 3)
        self._rows.setSpacing(2)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self._list)
        self.tool = _Choice("Tool", [_ANY_TOOL, *sorted(self._arguments)])
        self.tool.setCurrentText(tool if tool in self._arguments else _ANY_TOOL)
        self.argument = _Choice("Argument", [])
        self.pattern = LineField("a regular expression, such as ^prod-")
        self.pattern.setAccessibleName("Pattern")
        self.add = Button("Add rule", Kind.PRIMARY)
        self.body.addWidget(self._scroll)
        self.body.addWidget(Hairline())
        self.body.addWidget(_row("Ask before running", self.tool))
        self.body.addWidget(_row("when", self.argument))
        self._matches = _row("matches", self.pattern)
        self.body.addWidget(self._matches)
        self.body.addWidget(_row("", self.add, None))
        self.body.addWidget(self.refusal)
        self.offer(leave="Close")
        self.tool.currentTextChanged.connect(self._show_arguments)
        self.argument.currentTextChanged.connect(self._show_pattern)
        self.pattern.returnPressed.connect(self.add.click)
        self.add.clicked.connect(self._add)
        session.refreshed.connect(self._show_rules)
        self._show_arguments()
        self._show_rules()
        self.tool.setFocus()

    @property
    def said(self) -> list[str]:
        """The rules as they are listed."""
        return [each.words for each in self._list.findChildren(Words) if each.isVisibleTo(self._list)]

    def _show_arguments(self) -> None:
        """Offer the arguments that the tool has; those of all tools where any may be meant."""
        tool = self.tool.currentText()
        names = self._arguments.get(tool)
        if names is None:
            names = sorted({name for each in self._arguments.values() for name in each})
        self.argument.clear()
        self.argument.addItems([_ANY_INPUT, *names])

    def _show_pattern(self) -> None:
        self._matches.setEnabled(self.argument.currentText() != _ANY_INPUT)
        self.refusal.show_words()

    def _show_rules(self) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        rules = self._session.break_rules
        for rule in rules:
            self._rows.addWidget(self._line(rule))
        if not rules:
            words = "No rule yet. Only tools that ask for approval themselves are asked about."
            self._rows.addWidget(Words(words, "ink2"))
        self._rows.addStretch(1)
        self._scroll.setFixedHeight((ROW + 2) * min(max(len(rules), 1), _MOST_ROWS) + 8)

    def _line(self, rule: BreakRule) -> QWidget:
        remove = Button("Remove", Kind.QUIET, font=theme.small())
        remove.setAccessibleName(f"Remove the rule for {rule_words(rule)}")
        remove.clicked.connect(lambda: self._session.do(self._try(self._remove(rule)), self))
        words = Words(f"Ask before running {rule_words(rule)}", icon="approval")
        return line_of(words, None, remove, height=ROW)

    def _add(self) -> None:
        self._session.do(self._try(self._add_rule()), self)

    async def _add_rule(self) -> None:
        tool, argument = self.tool.currentText(), self.argument.currentText()
        argument = "" if argument == _ANY_INPUT else argument
        rule = break_rule(
            "" if tool == _ANY_TOOL else tool, argument, self.pattern.text() if argument else ""
        )
        if rule not in self._session.break_rules:
            await self._keep((*self._session.break_rules, rule))
        self.pattern.clear()

    async def _remove(self, rule: BreakRule) -> None:
        await self._keep(tuple(each for each in self._session.break_rules if each != rule))
        self.tool.setFocus()

    async def _keep(self, rules: tuple[BreakRule, ...]) -> None:
        await self._session.ask(lambda wb: wb.break_rules.set(rules))
        await self._session.refresh()

    async def _try(self, work: Work) -> None:
        self.refusal.show_words()
        try:
            await work
        except WorkbenchError as error:
            self.refusal.show_words(error.message, error.hint)


def _arguments_of(listing: Listing) -> list[str]:
    """The arguments that a rule can look at: those at the top."""
    schema = listing.tool.input_schema if listing.tool is not None else None
    properties = (schema or {}).get("properties")
    return list(cast("Mapping[str, object]", properties)) if isinstance(properties, Mapping) else []


class _Choice(QComboBox):
    """One of several, painted as the fields are."""

    def __init__(self, name: str, words: Sequence[str]) -> None:
        super().__init__()
        self.addItems(list(words))
        self.setFont(theme.data())
        self.setAccessibleName(name)
        self.setFixedHeight(ROW)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint.box(painter, QRectF(self.rect()), edge="edge", ground="field", radius=FIELD_RADIUS)
        line = Line(painter, self.width(), self.height())
        line.text(self.currentText(), 8, self.width() - 36, "ink", theme.data())
        line.icon("chevron-down", self.width() - 22)
        if self.hasFocus():
            paint.ring(painter, self.rect())
        painter.end()


def _row(words: str, *pieces: QWidget | None) -> QWidget:
    return line_of(Words(words, "ink2", width=_LABEL), *pieces, gap=8, height=ROW)
