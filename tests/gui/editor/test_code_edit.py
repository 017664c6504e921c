"""The keys of a code editor do what they do in others, each in one step that undo takes back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from tests.gui.desk import press
from tests.gui.driving import Ui, until
from tests.gui.editor.workplace import CONTROL, SHIFT
from workbench.domain.definitions import Diagnostic, Language, Severity
from workbench.gui.controls.button import Button
from workbench.gui.editor.bars import FindPanel, LineBar
from workbench.gui.editor.code_edit import CodeEdit
from workbench.gui.editor.margin import Margin, tip_of
from workbench.gui.editor.strips import ProblemLine
from workbench.gui.style import theme
from workbench.gui.style.theme import Mode

W = TypeVar("W", bound=QWidget)


@pytest.fixture
def home(ui: Ui) -> Iterator[QWidget]:
    """A window for what is tried, which goes with it at the end."""
    made = QWidget()
    made.resize(600, 500)
    QVBoxLayout(made)
    made.show()
    yield made
    made.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def in_home(home: QWidget, widget: W) -> W:
    layout = home.layout()
    assert layout is not None
    layout.addWidget(widget)
    return widget


@pytest.fixture
def edit(home: QWidget) -> CodeEdit:
    return in_home(home, CodeEdit())


def put(edit: CodeEdit, text: str, language: Language = Language.PYTHON) -> None:
    """Load a text; `|` is where the caret is put."""
    edit.load(text.replace("|", ""), language)
    cursor = edit.textCursor()
    cursor.setPosition(max(text.find("|"), 0))
    edit.setTextCursor(cursor)


def now(edit: CodeEdit) -> str:
    text, at = edit.text(), edit.textCursor().position()
    return f"{text[:at]}|{text[at:]}"


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        ("def f():|", Qt.Key.Key_Return, "def f():\n    |"),
        ("def f():\n  x = 1\n  if x:|", Qt.Key.Key_Return, "def f():\n  x = 1\n  if x:\n    |"),
        ("x = \U0001f600(|)", Qt.Key.Key_Return, "x = \U0001f600(\n    |)"),
        ("a|", Qt.Key.Key_Tab, "a   |"),
        ("|", Qt.Key.Key_Tab, "    |"),
        ("        a|", Qt.Key.Key_Backtab, "    a|"),
    ],
)
def test_a_key_does_what_it_should(edit: CodeEdit, before: str, key: Qt.Key, after: str) -> None:
    put(edit, before.replace("\U0001f600", "f"))
    press(edit, key)
    assert now(edit) == after.replace("\U0001f600", "f")
    edit.undo()
    assert edit.text() == before.replace("|", "").replace("\U0001f600", "f")


@pytest.mark.parametrize(
    ("before", "bracket", "after"),
    [
        ("f(() => {\n  g();\n\n  |", "}", "f(() => {\n  g();\n\n}|"),
        ("f([\n  1,\n  |2])", "]", "f([\n  1,\n]|2])"),
        ("f({\n|", "}", "f({\n}|"),
        ("  |", "}", "  }|"),
        ("f({\n  a |", "}", "f({\n  a }|"),
    ],
)
def test_a_closing_bracket_goes_to_where_what_it_closes_begins(
    edit: CodeEdit, before: str, bracket: str, after: str
) -> None:
    put(edit, before, Language.TYPESCRIPT)
    QTest.keyClicks(edit, bracket)
    assert now(edit) == after
    edit.undo()
    assert now(edit) == before


def select(edit: CodeEdit, first: int, last: int) -> None:
    """Select whole lines, counted from 1."""
    cursor = QTextCursor(edit.document().findBlockByNumber(first - 1))
    cursor.setPosition(
        edit.document().findBlockByNumber(last - 1).position() + 1, QTextCursor.MoveMode.KeepAnchor
    )
    edit.setTextCursor(cursor)


def test_selected_lines_are_indented_commented_and_given_back(edit: CodeEdit) -> None:
    source = "if a:\n    b()\n\n    c()\nd()\n"
    put(edit, source)
    select(edit, 1, 4)
    press(edit, Qt.Key.Key_Tab)
    assert edit.text() == "    if a:\n        b()\n\n        c()\nd()\n"
    press(edit, Qt.Key.Key_Backtab)
    assert edit.text() == source
    press(edit, Qt.Key.Key_Slash, CONTROL)
    assert edit.text() == "# if a:\n#     b()\n\n#     c()\nd()\n"
    edit.undo()
    assert edit.text() == source


def test_comments_of_the_other_language_are_its_own(edit: CodeEdit) -> None:
    put(edit, "const a = 1;|", Language.TYPESCRIPT)
    press(edit, Qt.Key.Key_Slash, CONTROL)
    assert edit.text() == "// const a = 1;"


def test_a_new_text_keeps_caret_selection_and_what_is_in_view(edit: CodeEdit) -> None:
    lines = [f"line {number}" for number in range(1, 301)]
    put(edit, "\n".join(lines))
    edit.go_to(200)
    top = edit.firstVisibleBlock().text()
    edit.replace_text("\n".join(["new \U0001f600", *lines[:150], *lines[160:], "end"]))
    assert edit.textCursor().block().text() == "line 200"
    assert edit.firstVisibleBlock().text() == top
    edit.undo()
    assert edit.text() == "\n".join(lines)


def test_a_text_with_odd_characters_comes_back_as_it_was(edit: CodeEdit) -> None:
    text = "a\u00a0b\n\tc \U0001f600 \u202e\n\x0bx\n\n"
    edit.load(text, Language.PYTHON)
    assert edit.text() == text


# --- problems


def problem(line: int | None, severity: Severity = Severity.ERROR, code: str = "bad-field") -> Diagnostic:
    return Diagnostic(code=code, severity=severity, path="a.py", line=line, message=f"<b>{code}</b> here")


def test_f8_goes_through_the_problems_and_the_marks_move_with_their_lines(edit: CodeEdit) -> None:
    put(edit, "a\nb\nc\nd\n")
    edit.show_problems([problem(2), problem(4, Severity.WARNING, "open-shape"), problem(None), problem(99)])
    press(edit, Qt.Key.Key_F8)
    assert edit.current_line() == 2
    press(edit, Qt.Key.Key_F8)
    assert edit.current_line() == 4
    press(edit, Qt.Key.Key_F8)
    assert edit.current_line() == 2
    press(edit, Qt.Key.Key_F8, SHIFT)
    assert edit.current_line() == 4
    edit.go_to(1)
    press(edit, Qt.Key.Key_Return)
    assert sorted(edit.problems_by_line()) == [3, 5]


def test_a_problem_with_a_column_is_marked_and_gone_to_at_its_word(edit: CodeEdit) -> None:
    put(edit, "first\n\U0001f600 = missing.call()\n    \n", Language.TYPESCRIPT)
    edit.show_problems([problem(2).model_copy(update={"column": 6})])
    assert [mark.cursor.selectedText() for mark in edit.extraSelections()[1:]] == ["missing"]
    press(edit, Qt.Key.Key_F8)
    assert (edit.current_line(), edit.textCursor().positionInBlock()) == (2, 5)
    edit.go_to(1)
    press(edit, Qt.Key.Key_Return)
    (mark,) = edit.extraSelections()[1:]
    assert (
        mark.cursor.selectedText() == "\U0001f600 = missing.call()"
    )  # where its line went is known, the word not
    for line, column, place in ((3, 99, 4), (3, 2, 1), (3, 0, 0)):
        edit.load("a\nb\n    ", Language.TYPESCRIPT)
        edit.go_to(line, column)
        assert edit.textCursor().positionInBlock() == (place or 4)


def test_the_words_of_a_problem_are_shown_as_they_are() -> None:
    assert "&lt;b&gt;bad-field&lt;/b&gt; here" in tip_of([problem(1)])


def test_the_strip_lists_the_codes_and_leads_to_each(home: QWidget) -> None:
    strip = in_home(home, ProblemLine())
    went: list[Diagnostic] = []
    strip.went_to.connect(went.append)
    problems = [problem(7, Severity.WARNING, "open-shape"), problem(3)]
    strip.show_problems(problems)
    links = strip.findChildren(Button)
    assert [link.text() for link in links] == ["open-shape, line 7", "bad-field, line 3"]
    links[1].click()
    assert went == [problems[1]]
    strip.show_problems([])
    assert strip.isHidden()


# --- finding


def finder(edit: CodeEdit, text: str, word: str) -> FindPanel:
    put(edit, text)
    panel = in_home(edit.window(), FindPanel(edit))
    panel.open(replacing=True)
    panel.bar.field.setText(word)
    return panel


async def found(panel: FindPanel, words: str) -> None:
    await until(lambda: panel.bar.state.words == words)


def selected(edit: CodeEdit) -> tuple[int, int]:
    return edit.textCursor().selectionStart(), edit.textCursor().selectionEnd()


def test_a_word_is_found_while_it_is_typed_and_stepped_through_around_the_end(ui: Ui, edit: CodeEdit) -> None:
    async def scenario() -> None:
        panel = finder(edit, "\U0001f600 one\nOne\nno", "one")
        await found(panel, "1 of 2")
        assert selected(edit) == (3, 6)
        press(panel.bar.field, Qt.Key.Key_Return)
        assert selected(edit) == (7, 10)
        press(panel.bar.field, Qt.Key.Key_Return)
        assert selected(edit) == (3, 6)
        press(panel.bar.field, Qt.Key.Key_Return, SHIFT)
        assert selected(edit) == (7, 10)
        panel.bar.exact.click()
        await found(panel, "1 of 1")
        assert selected(edit) == (3, 6)
        press(panel.bar.field, Qt.Key.Key_Escape)
        assert panel.isHidden()
        assert edit.hasFocus()
        panel.open()
        assert panel.bar.isVisible()

    ui.run(scenario())


def test_a_pattern_finds_and_one_that_is_none_says_so(ui: Ui, edit: CodeEdit) -> None:
    async def scenario() -> None:
        panel = finder(edit, "a1 b22 c", r"\d+")
        await found(panel, "No hits")
        panel.bar.pattern.click()
        await found(panel, "1 of 2")
        panel.bar.field.setText("(")
        await until(lambda: "Not a pattern" in panel.bar.state.words)

    ui.run(scenario())


def test_hits_are_replaced_one_by_one_or_all_in_one_step(ui: Ui, edit: CodeEdit) -> None:
    async def scenario() -> None:
        panel = finder(edit, "\U0001f600 aa aa aa", "aa")
        await found(panel, "1 of 3")
        panel.replacement.setText("aaa")
        panel.replace_one()
        assert edit.text() == "\U0001f600 aaa aa aa"
        await found(panel, "2 of 3")
        panel.replace_all()
        assert edit.text() == "\U0001f600 aaaa aaa aaa"
        edit.undo()
        assert edit.text() == "\U0001f600 aaa aa aa"

    ui.run(scenario())


def test_the_hits_follow_the_typing_without_taking_the_caret_along(ui: Ui, edit: CodeEdit) -> None:
    async def scenario() -> None:
        panel = finder(edit, "one two one", "one")
        await found(panel, "1 of 2")
        edit.setFocus()
        edit.moveCursor(QTextCursor.MoveOperation.End)
        QTest.keyClicks(edit, " one")
        await found(panel, "3")
        assert selected(edit) == (15, 15)
        panel.search.step(-1)
        assert selected(edit) == (12, 15)

    ui.run(scenario())


def test_a_line_is_gone_to_by_its_number(edit: CodeEdit) -> None:
    put(edit, "a\nb\n    c\n")
    bar = in_home(edit.window(), LineBar(edit))
    bar.open()
    QTest.keyClicks(bar.field, "3")
    press(bar.field, Qt.Key.Key_Return)
    assert edit.current_line() == 3
    assert edit.textCursor().positionInBlock() == 4
    assert bar.isHidden()


# --- colours


def coloured(edit: CodeEdit, line: int) -> list[tuple[str, str]]:
    """The words of a line that have a colour, with the colour."""
    block = edit.document().findBlockByNumber(line - 1)
    text = block.text().encode("utf-16-le")
    return [
        (
            text[2 * part.start : 2 * (part.start + part.length)].decode("utf-16-le"),
            part.format.foreground().color().name(),
        )
        for part in block.layout().formats()
    ]


def test_source_is_coloured_by_its_language_and_by_the_theme(
    ui: Ui, edit: CodeEdit, qapp: QApplication
) -> None:
    async def scenario() -> None:
        put(edit, 'x = "\U0001f600" # c\nreturn 1\n"""a\nb"""\n' + "y" * 6_000)
        colour = theme.tokens()
        assert coloured(edit, 1) == [('"\U0001f600"', colour.string.lower()), ("# c", colour.ink2.lower())]
        assert coloured(edit, 4) == [('b"""', colour.string.lower())]
        assert coloured(edit, 5) == []
        theme.apply(qapp, Mode.DARK)
        try:
            await until(lambda: coloured(edit, 2)[0] == ("return", theme.tokens().accent.lower()))
        finally:
            theme.apply(qapp, Mode.LIGHT)

    ui.run(scenario())


def test_a_text_that_is_opened_at_the_top_is_coloured_a_slice_at_a_time_to_the_end(
    ui: Ui, edit: CodeEdit
) -> None:
    async def scenario() -> None:
        put(edit, "return 1\n" * 1_000)
        await until(lambda: coloured(edit, 999))
        QTest.keyClicks(edit, '"""')
        await until(lambda: coloured(edit, 999) == [("return 1", theme.tokens().string.lower())])
        edit.undo()
        await until(lambda: ("1", theme.tokens().number.lower()) in coloured(edit, 999))
        assert all(len(coloured(edit, line)) == 2 for line in range(1, 1_000))

    ui.run(scenario())


def test_a_long_source_is_coloured_a_slice_at_a_time_to_its_end(ui: Ui, edit: CodeEdit) -> None:
    async def scenario() -> None:
        put(edit, "return 1\n" * 3_000)
        assert coloured(edit, 1)
        assert not coloured(edit, 2_999)
        await until(lambda: coloured(edit, 2_999))

    ui.run(scenario())


def test_the_margin_leads_to_the_line_that_is_pressed(edit: CodeEdit) -> None:
    put(edit, "a\nb\nc\n")
    (margin,) = edit.findChildren(Margin)
    number, top, height = edit.visible_lines()[2]
    QTest.mouseClick(margin, Qt.MouseButton.LeftButton, pos=QPoint(5, top + height // 2))
    assert edit.current_line() == number == 3


def test_only_a_change_of_the_text_is_told_and_not_one_of_its_colours(
    edit: CodeEdit, qapp: QApplication
) -> None:
    put(edit, "return 1\n")
    told: list[str] = []
    edit.edited.connect(lambda: told.append(edit.text()))
    theme.apply(qapp, Mode.DARK)
    theme.apply(qapp, Mode.LIGHT)
    edit.show_problems([problem(1)])
    assert told == []
    QTest.keyClicks(edit, "x")
    edit.undo()
    assert told == ["xreturn 1\n", "return 1\n"]
