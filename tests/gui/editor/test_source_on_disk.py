"""Whatever happens to the file while it is edited, what was typed is there, and so is what others wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.gui.desk import press
from tests.gui.driving import Ui, until
from tests.gui.editor.workplace import CONTROL, PATH, SOURCE, Workplace, workplace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "desk"


def test_what_is_typed_is_saved_and_loaded_again(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root, SOURCE.replace("\n", "\r\n")) as place:
            place.editor.go_to(7)
            place.type("# more ")
            assert place.editor.modified
            await place.saved()
            assert (
                place.file.read_bytes()
                == SOURCE.replace("    return", "    # more return").replace("\n", "\r\n").encode()
            )
            digest = place.session.listings[0].file.digest
            await until(lambda: place.session.listings[0].file.digest != digest)
            assert not place.said

    ui.run(scenario())


def test_a_change_from_outside_is_shown_with_caret_and_undo_kept(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            place.editor.go_to(7)
            place.file.write_text("# one\n# two\n" + SOURCE)
            await until(lambda: place.text.startswith("# one"))
            assert place.editor.edit.current_line() == 9
            assert place.editor.edit.textCursor().block().text() == '    return ToolResult.success("Hello")'
            assert not place.editor.modified
            assert not place.said
            place.press(Qt.Key.Key_Z, CONTROL)
            assert place.text == SOURCE
            assert place.editor.modified

    ui.run(scenario())


async def conflict(place: Workplace) -> None:
    place.editor.go_to(1)
    place.type("# mine ")
    place.file.write_text(SOURCE.replace("Hello", "Theirs"))
    await place.offered("Take theirs")


def test_a_change_from_outside_under_edits_is_offered_and_mine_can_be_kept(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            await conflict(place)
            assert place.text.startswith("# mine ")
            assert "changed on disk, too" in place.said
            place.press(Qt.Key.Key_S, CONTROL)
            await place.session.finish()
            await place.offered("Keep mine")
            assert "Theirs" in place.file.read_text(), "a save does not overwrite them unasked"
            place.take("Keep mine")
            assert not place.said
            await place.saved()
            assert place.file.read_text() == "# mine " + SOURCE

    ui.run(scenario())


def test_their_text_can_be_taken_and_undo_still_has_mine(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            await conflict(place)
            place.take("Take theirs")
            assert place.text == SOURCE.replace("Hello", "Theirs")
            assert not place.editor.modified
            place.press(Qt.Key.Key_Z, CONTROL)
            assert place.text == "# mine " + SOURCE

    ui.run(scenario())


def test_both_texts_can_be_compared(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            await conflict(place)
            place.take("Compare")
            shown = place.editor.difference
            await until(shown.model.count)
            words = [shown.model.words(shown.model.row(at)) for at in range(shown.model.count())]
            assert shown.isVisible()
            assert 'Changed: """Greets somebody.""", now # mine """Greets somebody."""' in words
            assert any(
                said.startswith('Changed:     return ToolResult.success("Theirs"), now') for said in words
            )
            place.take("Back to the text")
            assert place.editor.edit.isVisible()

    ui.run(scenario())


def test_a_file_that_is_deleted_keeps_its_text_and_can_be_written_again(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            place.file.unlink()
            await place.offered("Write it again")
            assert "is gone from disk" in place.said
            assert place.text == SOURCE
            place.take("Write it again")
            await until(lambda: not place.said)
            assert place.file.read_text() == SOURCE

    ui.run(scenario())


def test_a_file_that_is_renamed_is_followed_when_asked_with_unsaved_text(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            place.editor.go_to(1)
            place.type("# mine ")
            place.file.rename(place.file.with_name("welcome.py"))
            await place.offered("Go on in welcome.py")
            place.take("Go on in welcome.py")
            assert place.editor.path == "agents/tools/welcome.py"
            assert place.text.startswith("# mine ")
            await place.saved()
            assert place.file.with_name("welcome.py").read_text() == "# mine " + SOURCE
            assert not place.file.exists()

    ui.run(scenario())


def test_unsaved_text_outlives_a_crash(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            place.type("# unsaved ")

            async def kept() -> bool:
                return await place.draft() == "# unsaved " + SOURCE

            while not await kept():
                await place.session.finish()
        assert (root / PATH).read_text() == SOURCE
        async with workplace(root, None) as place:
            await until(lambda: place.editor.modified)
            assert place.text == "# unsaved " + SOURCE
            assert "here again" in place.said
            place.press(Qt.Key.Key_Z, CONTROL)
            assert place.text == SOURCE
            place.editor.keep_now()
            await place.session.finish()
            assert await place.draft() is None

    ui.run(scenario())


def test_unsaved_text_of_a_file_that_changed_meanwhile_is_a_conflict(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            place.type("# unsaved ")
            place.editor.keep_now()
            await place.session.finish()
        (root / PATH).write_text(SOURCE.replace("Hello", "Theirs"))
        async with workplace(root, None) as place:
            await place.offered("Take theirs")
            assert place.text == "# unsaved " + SOURCE

    ui.run(scenario())


def test_saving_forgets_what_was_kept(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            place.type("# more ")
            place.editor.keep_now()
            await place.session.finish()
            assert await place.draft() is not None
            await place.saved()
            assert await place.draft() is None

    ui.run(scenario())


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (b"x = '" + b"a" * 20_000 + b"'\n", "line of more than 10,000 characters"),
        (b"# a line\n" * 120_000, "larger than 1 MB"),
        (b"x = '\xff\xfe'\n", "characters cannot be read"),
    ],
)
def test_what_cannot_be_edited_is_shown_with_the_reason(
    ui: Ui, root: Path, source: bytes, reason: str
) -> None:
    async def scenario() -> None:
        async with workplace(root, source) as place:
            assert reason in place.said
            place.type("typed")
            assert "typed" not in place.text
            place.press(Qt.Key.Key_S, CONTROL)
            await place.session.finish()
            assert place.file.read_bytes() == source

    ui.run(scenario())


def test_a_save_that_fails_says_why_and_keeps_the_text(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            place.editor.edit.insertPlainText("# coding: latin-1 \u20ac ")
            place.press(Qt.Key.Key_S, CONTROL)
            await place.offered("Try again")
            assert "which has no '\u20ac' (line 1)" in place.said
            assert place.editor.modified
            assert place.file.read_text() == SOURCE

    ui.run(scenario())


def test_the_keyboard_leads_out_of_the_editor_again(ui: Ui, root: Path) -> None:
    async def scenario() -> None:
        async with workplace(root) as place:
            place.press(Qt.Key.Key_F, CONTROL)
            assert place.editor.bars.find.isVisible()
            place.press(Qt.Key.Key_Escape)
            assert not place.editor.bars.find.isVisible()
            place.press(Qt.Key.Key_G, CONTROL)
            assert place.editor.bars.line.field.hasFocus()
            QTest.keyClicks(place.editor.bars.line.field, "7")
            press(place.editor.bars.line.field, Qt.Key.Key_Return)
            assert place.editor.edit.hasFocus()
            assert place.editor.edit.current_line() == 7
            place.type("x")
            place.press(Qt.Key.Key_Escape)
            assert not place.editor.edit.hasFocus()
            assert QApplication.focusWidget() is not None

    ui.run(scenario())
