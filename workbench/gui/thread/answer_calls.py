"""The calls of an answer that a person writes as the model: picked from the offered tools, filled in as forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QStackedWidget, QVBoxLayout, QWidget

from workbench.domain.model_requests import OfferedTool
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import column_of, line_of
from workbench.gui.controls.row_model import RowModel
from workbench.gui.controls.row_view import Look, RowPainter, RowView
from workbench.gui.form.form_view import FormView
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER
from workbench.gui.thread.split import split

_LIST = 260


class PickedCall:
    """A call with the form of its arguments."""

    def __init__(self, tool: OfferedTool, form: FormView) -> None:
        self.tool = tool
        self.form = form

    @property
    def arguments(self) -> str | None:
        """Exact JSON text; None while something in the form cannot be sent."""
        return self.form.sent().json_text

    @property
    def problems(self) -> str:
        """How many problems keep it from being sent, in words; "" when none do."""
        count = len(self.form.sent().problems)
        return amounts.count(count, "problem") if self.arguments is None else ""


class PickedModel(RowModel[PickedCall]):
    """In the order in which they will run (C6)."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[PickedCall] = []

    def put(self, call: PickedCall) -> None:
        at = len(self.rows)
        self.beginInsertRows(self.index(-1, -1), at, at)
        self.rows.append(call)
        self.endInsertRows()

    def take(self, at: int) -> PickedCall:
        self.beginRemoveRows(self.index(-1, -1), at, at)
        call = self.rows.pop(at)
        self.endRemoveRows()
        return call

    def count(self) -> int:
        return len(self.rows)

    def row(self, at: int) -> PickedCall:
        return self.rows[at]

    def words(self, row: PickedCall) -> str:
        return ", ".join(
            part for part in (f"Call {row.tool.name}", row.problems or row.arguments or "") if part
        )


class _Painter(RowPainter[PickedCall]):
    def paint_row(self, line: Line, row: PickedCall, look: Look) -> None:
        x = DOCUMENT_GUTTER + line.text(row.tool.name, DOCUMENT_GUTTER, 150, font=theme.data()) + 10.0
        if row.problems:
            line.mark(Mark.UNREAD, x)
            line.text(row.problems, x + 18, line.width - x - 24, "err", theme.small())
        else:
            line.text(row.arguments or "", x, line.width - x - 8, "ink2", theme.data())


class AnswerCalls(QWidget):
    """A list of calls beside the form of the current one; only a way to add one while there are none."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._tools: Sequence[OfferedTool] = ()
        self.model = PickedModel()
        self.list = RowView(self.model, _Painter(), name="Calls of the answer")
        self._forms = QStackedWidget()
        self.add_button = Button("Add a call", Kind.LINK, icon="plus", arrow=True)
        self.remove_button = Button("Remove", Kind.QUIET, icon="trash", tip="Remove this call (Delete)")
        bar = line_of(self.add_button, None, self.remove_button, margins=(DOCUMENT_GUTTER, 0, 12, 0))
        self._split = split(Qt.Orientation.Horizontal, self.list, self._forms, _LIST, 2 * _LIST)
        self._split.setMinimumHeight(180)
        self._split.hide()
        self.remove_button.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(column_of(bar, self._split))
        self.add_button.clicked.connect(self._open_menu)
        self.remove_button.clicked.connect(self.remove)
        self.list.delete_asked.connect(self.remove)
        self.list.moved.connect(self._moved)
        self.list.opened.connect(lambda call: call.form.focus_first())  # pyright: ignore[reportUnknownLambdaType, reportUnknownMemberType, reportUnknownArgumentType]

    def offer(self, tools: Sequence[OfferedTool]) -> None:
        """The tools that can be called; calls of the question before go."""
        self._tools = tools
        while self.model.count():
            self._take(0)
        self.add_button.setVisible(bool(tools))
        self._show()

    def pick(self, name: str, draft: Mapping[str, object] | None = None) -> PickedCall | None:
        """Add a call of a tool; None when it is not offered."""
        tool = next((tool for tool in self._tools if tool.name == name), None)
        if tool is None:
            return None
        call = PickedCall(tool, FormView(tool.input_schema, draft, tool.description))
        self._forms.addWidget(call.form)
        call.form.changed.connect(self._edited)
        self.model.put(call)
        self._show()
        self.list.go_to(self.model.count() - 1)
        self.changed.emit()
        return call

    def remove(self) -> None:
        """Take the current call out."""
        at = self.list.currentIndex().row()
        if 0 <= at < self.model.count():
            self._take(at)
            self._show()
            self.changed.emit()

    def calls(self) -> list[tuple[str, str]] | None:
        """Tools and arguments, in their order; None while one of them cannot be sent."""
        found = [(call.tool.name, call.arguments) for call in self.model.rows]
        if any(arguments is None for _, arguments in found):
            return None
        return [(name, arguments or "{}") for name, arguments in found]

    def reveal_problem(self) -> None:
        """Show the first call that cannot be sent, with what is wrong."""
        at = next((at for at, call in enumerate(self.model.rows) if call.problems), None)
        if at is not None:
            self.list.go_to(at)
            form = self.model.row(at).form
            form.reveal_all()
            form.jump(form.sent().problems[0])

    def to_draft(self) -> list[object]:
        """What is picked and typed, as plain JSON data."""
        return [{"tool": call.tool.name, "form": call.form.form.to_draft()} for call in self.model.rows]

    def restore(self, draft: object) -> None:
        """Pick again what a draft holds, as far as it is still offered."""
        for one in cast("list[object]", draft) if isinstance(draft, list) else []:
            if isinstance(one, Mapping):
                call = cast("Mapping[str, object]", one)
                self.pick(str(call.get("tool", "")), cast("Mapping[str, object]", call.get("form", {})))

    def _take(self, at: int) -> None:
        call = self.model.take(at)
        self._forms.removeWidget(call.form)
        call.form.deleteLater()

    def _edited(self) -> None:
        self.list.viewport().update()
        self.changed.emit()

    def _moved(self, call: PickedCall | None) -> None:
        if call is not None:
            self._forms.setCurrentWidget(call.form)

    def _show(self) -> None:
        has_some = bool(self.model.count())
        self._split.setVisible(has_some)
        self.remove_button.setVisible(has_some)
        self.add_button.set_words("Add another call" if has_some else "Add a call")

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for tool in self._tools:
            action = menu.addAction(tool.name)
            action.setToolTip(tool.description)
            action.triggered.connect(lambda _=False, name=tool.name: self._picked(name))
        menu.setToolTipsVisible(True)
        menu.popup(self.add_button.mapToGlobal(QPoint(0, self.add_button.height())))

    def _picked(self, name: str) -> None:
        call = self.pick(name)
        if call is not None:
            call.form.focus_first()
