"""A form on a screen of its own, and the hands that fill it in."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QMenu, QPlainTextEdit, QWidget

from tests.gui.driving import Ui, until
from workbench.base.exact_json import JsonValue, dump
from workbench.forms import Node
from workbench.gui.form.form_heads import HeadControl
from workbench.gui.form.form_row import Row
from workbench.gui.form.form_rows import FieldRow, FootRow
from workbench.gui.form.form_view import FormView


class Hands:
    """Fills in a form that can be seen."""

    def __init__(self, view: FormView) -> None:
        self.view = view

    def rows(self) -> list[Row]:
        """The rows that are shown, from top to bottom."""
        shown = [each for each in self.view.findChildren(Row) if each.isVisibleTo(self.view)]
        return sorted(shown, key=lambda row: row.mapTo(self.view, row.rect().topLeft()).y())

    def paths(self) -> list[str]:
        """The paths of the fields that are shown."""
        return [node.path for row in self.rows() for node in row.nodes()]

    def row(self, path: str) -> Row:
        return next(row for row in self.rows() for node in row.nodes() if node.path == path)

    def control(self, path: str) -> QWidget:
        row = self.row(path)
        row.ensure()
        found = row.target(next(node for node in row.nodes() if node.path == path))
        assert found is not None
        return found

    def key(self, path: str) -> QLineEdit:
        """Where the key of an entry is typed."""
        row = self.row(path)
        assert isinstance(row, FieldRow)
        assert row.key_field is not None
        return row.key_field

    def error(self, path: str) -> str:
        """What stands under a field."""
        row = self.row(path)
        return row.error_shown if isinstance(row, FieldRow) else str(getattr(row, "error_shown", ""))

    def type_into(self, path: str, text: str) -> None:
        """Replace what a field holds, key by key."""
        control = self.control(path)
        control.setFocus()
        QTest.keyClick(control, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(control, Qt.Key.Key_Delete)
        QTest.keyClicks(control, text)

    def shown(self, path: str) -> str:
        """The text in a field."""
        control = self.control(path)
        if isinstance(control, QPlainTextEdit):
            return control.toPlainText()
        return control.text() if isinstance(control, QLineEdit | QAbstractButton) else ""

    def add(self, path: str) -> str:
        """Press what adds an item or a key to a list or map; returns the path of what has the focus then."""
        feet = [row for row in self.rows() if isinstance(row, FootRow) and row.node.path == path]
        if feet:
            feet[-1].button.click()
        else:
            head = self.control(path)
            assert isinstance(head, HeadControl)
            head.click()
        return self.focused()

    def focused(self) -> str:
        """The path of the field with the focus."""
        node = self.focused_node()
        return node.path if node is not None else "none"

    def focused_node(self) -> Node | None:
        widget = QApplication.focusWidget()
        for row in self.rows():
            for node in row.nodes():
                if row.is_built and row.target(node) is widget:
                    return node
            if row.is_built and widget is not None and row.isAncestorOf(widget):
                return row.node
        return None

    def menu(self, path: str) -> dict[str, QMenu]:
        """The entries of a field's menu by their words, opened from the keyboard."""
        control = self.control(path)
        control.setFocus()
        QTest.keyClick(control, Qt.Key.Key_F4)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        return {action.text().partition("\t")[0]: menu for action in menu.actions()}

    def choose(self, path: str, words: str) -> None:
        """Do something by a field's menu."""
        menu = self.menu(path)[words]
        next(action for action in menu.actions() if action.text().partition("\t")[0] == words).trigger()
        menu.close()

    def sent(self) -> str | None:
        return self.view.sent().json_text

    def load(self, value: JsonValue) -> None:
        self.view.load(dump(value))


@contextmanager
def open_form(ui: Ui, schema: Mapping[str, object] | None, *, height: int = 900) -> Generator[Hands]:
    """Show a form and close it for good at the end."""
    view = FormView(schema)
    view.resize(900, height)
    view.show()
    view.activateWindow()
    ui.run(until(view.isActiveWindow))
    try:
        yield Hands(view)
    finally:
        view.close()
        view.deleteLater()
