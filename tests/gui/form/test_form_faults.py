"""Schemas that would hold up a window, texts that cannot be read, a schema that is another while one types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import thread_time
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit

from tests.gui.desk import focus, open_desk
from tests.gui.driving import Ui, until
from tests.gui.forms import Hands, open_form
from tests.gui.projects import write_project
from workbench.gui.controls.button import Button
from workbench.gui.controls.words import Words
from workbench.gui.form.form_rows import FieldRow
from workbench.gui.form.form_unreadable import Unreadable
from workbench.gui.form.form_view import Face, FormView
from workbench.gui.form.problem_strip import ProblemStrip
from workbench.gui.style import theme
from workbench.gui.style.theme import Mode

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

PATIENCE = 5.0
"""Seconds of work: many times what it takes, much less than a form that does everything at once would."""


def seconds(do: Callable[[], object]) -> float:
    start = thread_time()
    do()
    QApplication.processEvents()
    return thread_time() - start


def test_five_thousand_properties_open_a_page_at_a_time_and_only_what_is_near_is_built(ui: Ui) -> None:
    schema = {
        "properties": {f"f{number}": {"type": "string"} for number in range(5_000)},
        "required": ["f4999"],
    }
    with open_form(ui, schema) as hands:
        rows = hands.view.findChildren(FieldRow)
        assert len(rows) == 500
        assert sum(row.is_built for row in rows) < 100
        hands.view.next_problem()
        assert hands.focused() == "/f4999"
        QTest.keyClicks(focus(), "x")
        assert hands.sent() == '{"f4999":"x"}'
        assert seconds(lambda: QTest.keyClicks(focus(), "y")) < PATIENCE


def test_a_pattern_that_explodes_does_not_hold_up_the_window(ui: Ui) -> None:
    patterns = ["^(a+)+$", "(?=(a+)+$)(a|aa)+b", "^(([a-z])+.)+[A-Z]([a-z])+$"]
    schema = {
        "properties": {f"p{at}": {"type": "string", "pattern": each} for at, each in enumerate(patterns)}
    }
    with open_form(ui, schema) as hands:
        hands.load({f"p{at}": "a" * 3_000 + "!" for at in range(len(patterns))})
        hands.control("/p0").setFocus()
        assert seconds(lambda: QTest.keyClicks(focus(), "x")) < PATIENCE
        assert {problem.rule for problem in hands.view.sent().problems} == {"pattern"}


def test_recursion_without_end_opens_as_far_as_one_looks(ui: Ui) -> None:
    schema = {
        "$defs": {
            "n": {
                "type": "object",
                "required": ["a", "b"],
                "properties": {"a": {"$ref": "#/$defs/n"}, "b": {"$ref": "#/$defs/n"}},
            }
        },
        "$ref": "#/$defs/n",
    }
    with open_form(ui, schema) as hands:
        assert hands.paths() == ["/a", "/b"]


# ---- text that cannot be read


def face_of(hands: Hands) -> QPlainTextEdit:
    (face,) = (
        each
        for each in hands.view.findChildren(QPlainTextEdit)
        if each.accessibleName() == "Arguments as JSON"
    )
    return face


def type_json(hands: Hands, text: str) -> None:
    hands.view.show_face(Face.JSON)
    face = face_of(hands)
    face.selectAll()
    face.insertPlainText(text)


def strip_words(hands: Hands) -> list[str]:
    strip = hands.view.findChild(ProblemStrip)
    assert strip is not None
    layout = strip.layout()
    assert layout is not None
    widgets = [item.widget() for at in range(layout.count()) if (item := layout.itemAt(at)) is not None]
    return [each.accessibleName() for each in widgets if each is not None]


PLAIN = {"properties": {"a": {"type": "string"}, "n": {"type": "integer"}}}


def test_text_that_is_no_json_names_its_line_and_column_and_is_marked_there(ui: Ui) -> None:
    with open_form(ui, PLAIN) as hands:
        type_json(hands, '{"a": "𝛑𝛑", "n": tru}')
        assert "Go to JSON text, line 1, column 18" in strip_words(hands)
        (mark,) = face_of(hands).extraSelections()
        assert mark.cursor.selectedText() == "tru"
        face_of(hands).moveCursor(face_of(hands).textCursor().MoveOperation.Start)
        hands.view.next_problem()
        assert face_of(hands).textCursor().position() == mark.cursor.selectionStart()
        QTest.keyClick(face_of(hands), Qt.Key.Key_Delete)
        type_json(hands, '{"n": 1}')
        assert face_of(hands).extraSelections() == []


def test_fields_do_not_show_an_older_state_while_the_json_text_cannot_be_read(ui: Ui) -> None:
    with open_form(ui, PLAIN) as hands:
        hands.type_into("/a", "older")
        type_json(hands, '{"a": ')
        assert "older" not in hands.view.sent().preview
        hands.view.show_face(Face.FORM)
        shown = hands.view.findChild(Unreadable)
        assert shown is not None
        assert shown.isVisible()
        assert "/a" not in hands.paths()
        shown.back_button.click()
        assert hands.view.face is Face.JSON
        assert face_of(hands).toPlainText() == '{"a": '
        hands.view.show_face(Face.FORM)
        shown.drop_button.click()
        assert hands.control("/a").isVisible()
        assert hands.shown("/a") == "older"
        assert hands.sent() == '{"a":"older"}'


def test_a_problem_is_shown_in_the_json_text_where_it_stands(ui: Ui) -> None:
    with open_form(ui, PLAIN) as hands:
        type_json(hands, '{"a": "x", "n": 1.5}')
        hands.view.next_problem()
        assert face_of(hands).textCursor().selectedText() == "1.5"


@pytest.mark.parametrize("mode", [Mode.DARK, Mode.LIGHT])
def test_light_and_dark_change_no_text(ui: Ui, mode: Mode) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    with open_form(ui, {"properties": {"any": {}, "code": {"type": "string", "format": "python"}}}) as hands:
        type_json(hands, '{"any": [1]}')
        hands.view.show_face(Face.FORM)
        hands.type_into("/any", "[2]")
        hands.type_into("/code", "x = 1")
        try:
            theme.apply(app, mode)
            QApplication.processEvents()
            assert hands.view.form.value() == {"any": [2], "code": "x = 1"}
        finally:
            theme.apply(app, Mode.LIGHT)


# ---- a list on top


def test_the_list_on_top_names_every_problem_and_jumps(ui: Ui) -> None:
    schema: dict[str, Any] = {
        "properties": {name: {"type": "integer"} for name in "abcdef"},
        "required": list("abcdef"),
    }
    with open_form(ui, schema) as hands:
        hands.type_into("/c", "x")
        strip = hands.view.findChild(ProblemStrip)
        assert strip is not None
        next(each for each in strip.findChildren(Button) if each.text() == "All").click()
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        assert [action.text() for action in menu.actions()] == [
            "a  is required",
            "b  is required",
            "c  is not a number",
            "d  is required",
            "e  is required",
            "f  is required",
        ]
        menu.actions()[4].trigger()
        menu.close()
        assert hands.focused() == "/e"
        assert hands.error("/e") == "Is required."
        assert [each for each in strip.findChildren(Words) if each.words == "6 problems block sending"]
        hands.view.resize(420, 900)
        ui.run(until(lambda: [each for each in strip.findChildren(Words) if each.words == "6 problems"]))
        head = next(each for each in strip.findChildren(Words) if each.words == "6 problems")
        ui.run(until(lambda: head.width() >= head.sizeHint().width()))


# ---- a schema that is another


def test_what_was_typed_and_where_one_was_survive_another_schema(ui: Ui) -> None:
    with open_form(ui, {"properties": {"a": {"type": "string"}, "n": {"type": "integer"}}}) as hands:
        hands.type_into("/n", "12,")
        QTest.keyClick(focus(), Qt.Key.Key_Left)
        spot = hands.view.spot()
        assert spot == ("/n", 2)
        again = FormView(
            {"properties": {"new": {}, "n": {"type": "number", "minimum": 0}}}, hands.view.form.to_draft()
        )
        try:
            again.resize(900, 600)
            again.show()
            again.activateWindow()
            ui.run(until(again.isActiveWindow))
            later = Hands(again)
            assert spot is not None
            again.return_to(spot)
            assert later.focused() == "/n"
            QTest.keyClicks(later.control("/n"), "7")
            assert later.shown("/n") == "127,"
        finally:
            again.close()
            again.deleteLater()


def test_a_spot_whose_field_is_gone_is_the_nearest_there_is(ui: Ui) -> None:
    with open_form(ui, {"properties": {"o": {"properties": {"a": {"type": "string"}}}}}) as hands:
        hands.load({"o": {"a": "x"}})
        hands.view.return_to(("/o/gone", 3))
        assert hands.focused() == "/o"


def test_whoever_types_while_the_file_of_the_tool_changes_goes_on_typing(ui: Ui, tmp_path: Path) -> None:
    project = write_project(tmp_path / "desk")
    path = project / "agents" / "tools" / "greet.py"

    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            before = document.form
            assert before is not None
            before.focus_first()
            QTest.keyClicks(focus(), "Mi")
            text = path.read_text("utf-8")
            added = '"properties": {"added": {"type": "integer"},'
            path.write_text(text.replace('"properties": {', added), "utf-8")
            await until(lambda: document.form is not before)
            assert document.form is not None
            QTest.keyClicks(focus(), "ra")
            assert document.form.form.value() == {"name": "Mira"}
            assert document.form.form.at("/added").path == "/added"

    ui.run(scenario())


def test_the_strip_follows_the_field_that_the_person_is_in(ui: Ui) -> None:
    names = ["a", "b", "c", "d", "e"]
    schema = {"required": names, "properties": {name: {"type": "string"} for name in names}}
    with open_form(ui, schema) as hands:
        hands.view.focus_first()
        for name in ("b", "c", "d", "e", "a"):
            hands.view.next_problem()
            assert hands.focused() == f"/{name}"
            assert strip_words(hands)[1] == f"Go to {name}"
