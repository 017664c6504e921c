"""What a tool and its fields are for can be read where they are filled in."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea

from tests.gui.desk import focus, open_desk, settle
from tests.gui.driving import Ui, until
from workbench.gui.controls.summary import LINE, Summary
from workbench.gui.controls.words import Words
from workbench.gui.form.form_rows import FieldRow
from workbench.gui.form.form_view import FormView
from workbench.gui.inspector.sent_panel import FieldNote

LONG = "Say what is wanted, and how it is to be done. " * 12


def columns(form: FormView) -> set[int]:
    """The widths of the type column over all rows."""
    return {
        each.width()
        for row in form.findChildren(FieldRow)
        for each in row.findChildren(Words)
        if each.isVisible() and each.words.startswith(("string", "integer", "required", "choice", "boolean"))
    }


def test_the_form_begins_with_what_the_tool_is_for_and_the_inspector_says_what_a_field_is_for(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            document = await desk.open("greet")
            form = document.form
            assert form is not None
            assert [each.accessibleName() for each in form.findChildren(Summary) if each.isVisible()] == [
                "Greet somebody by name."
            ]
            form.focus_first()
            note = desk.space.inspector.findChild(FieldNote)
            assert note is not None
            await until(note.isVisible)
            said = [each.accessibleName() for each in note.findChildren(Summary)]
            assert said == ["required, string", "Who is greeted"]
            QTest.keyClicks(focus(), "Mira")
            assert note.isVisible()

    ui.run(scenario())


def test_a_long_description_is_two_lines_with_the_whole_in_its_tip(ui: Ui) -> None:
    form = FormView({"type": "object", "properties": {"a": {"type": "string"}}}, about=LONG)
    form.resize(700, 300)
    form.show()
    ui.run(settle())
    about = form.findChild(Summary)
    assert about is not None
    assert about.height() == 2 * LINE
    assert about.toolTip() == LONG.strip()
    form.close()
    form.deleteLater()


def test_a_long_type_takes_the_room_of_a_wide_window_and_a_narrow_one_is_never_scrolled_sideways(
    ui: Ui,
) -> None:
    words = {"type": "string", "minLength": 2, "maxLength": 40, "pattern": "^[a-z]+$"}
    schema = {
        "type": "object",
        "required": ["word"],
        "properties": {"word": words, "count": {"type": "integer"}},
    }
    form = FormView(schema)
    widths: dict[int, set[int]] = {}
    form.show()
    for width in (1200, 720, 420):
        form.resize(width, 300)
        ui.run(settle())
        widths[width] = columns(form)
        scroll = form.findChild(QScrollArea)
        assert scroll is not None
        page = scroll.widget()
        assert page is not None
        assert page.width() == scroll.viewport().width()
    assert [len(widths[width]) for width in (1200, 720, 420)] == [1, 1, 0]
    assert max(widths[1200]) > max(widths[720])
    form.close()
    form.deleteLater()
