"""One result as a person meets it: the faces that fit, the one that is remembered, files, differences."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QByteArray, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog

from tests.gui.driving import Ui, until
from tests.gui.strays import no_strays
from workbench.app.results.faces import Face
from workbench.domain.calls import AttachmentRef, ToolResult
from workbench.gui.controls.segments import Segments
from workbench.gui.results.image_view import ImageView
from workbench.gui.results.markdown_view import MarkdownView
from workbench.gui.results.result_view import ResultView
from workbench.gui.results.table_view import TableView
from workbench.gui.results.text_viewer import TextViewer


def png(width: int = 40, height: int = 30) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.blue)
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    return bytes(buffer.data().data())


def ref(name: str, mime_type: str) -> AttachmentRef:
    return AttachmentRef(id=name, path=f"/attachments/{name}", name=name, mime_type=mime_type, size=10)


FILES: dict[str, bytes] = {"broken.png": b"\x89PNG\r\n\x1a\nnothing", "letter.txt": b"Dear Ada"}


class Memory:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def face(self, tool: str) -> str | None:
        return self.kept.get(tool)

    def keep_face(self, tool: str, face: str) -> None:
        self.kept[tool] = face


class Shown(ResultView):
    """A view whose files lie in memory, and whose work is kept."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.tasks: list[asyncio.Task[object]] = []
        super().__init__(self.read, self.begin, self.memory)

    async def read(self, wanted: AttachmentRef) -> bytes:
        return FILES[wanted.name] if wanted.name in FILES else png()

    def begin(self, work: Coroutine[object, object, object]) -> None:
        self.tasks.append(asyncio.ensure_future(work))


def show() -> Shown:
    view = Shown()
    view.resize(800, 500)
    view.show()
    view.activateWindow()
    return view


def returned(value: object) -> ToolResult:
    text = json.dumps(value)
    return ToolResult(text=text, json_text=text)


def test_the_faces_that_fit_are_segments_and_the_chosen_one_is_remembered_for_the_tool(ui: Ui) -> None:
    async def scenario() -> None:
        view = show()
        view.show_result(returned([{"a": 1}, {"a": 2}]), "rows")
        assert view.fitting == (Face.TABLE, Face.JSON, Face.TEXT, Face.RAW)
        assert view.segments is not None
        view.segments.setFocus()
        QTest.keyClick(view.segments, Qt.Key.Key_Right)
        assert view.face is Face.JSON
        assert view.memory.kept == {"rows": "JSON"}
        view.show_result(ToolResult(text="words"), "other")
        assert view.face is Face.TEXT
        view.show_result(returned([{"a": 3}]), "rows")
        assert view.face is Face.JSON

    with no_strays(ResultView):
        ui.run(scenario())


def test_a_table_is_read_sorted_and_copied(ui: Ui) -> None:
    async def scenario() -> None:
        view = show()
        view.show_result(returned([{"n": 2, "t": "b"}, {"n": 10, "t": "a"}, {"n": 1}]), "rows")
        table = view.stack.currentWidget()
        assert isinstance(table, TableView)
        await until(lambda: table.model_.rowCount() == 3)
        table.sort_by(0)
        await until(lambda: table.model_.sorted_by == 0)
        table.copy_as(lambda it, order: "|".join(str(it.cell(row, 0)) for row in order))
        assert QGuiApplication.clipboard().text() == "1|2|10"
        table.setFocus()
        table.selectAll()
        QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        assert QGuiApplication.clipboard().text() == "1\t\n2\tb\n10\ta"

    ui.run(scenario())


def test_finding_opens_a_bar_that_counts_and_closes_with_escape(ui: Ui) -> None:
    async def scenario() -> None:
        view = show()
        view.show_result(ToolResult(text="one two one"))
        view.setFocus()
        viewer = view.stack.currentWidget()
        assert isinstance(viewer, TextViewer)
        QTest.keyClick(viewer, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(view.find_bar.field, "one")
        await until(lambda: view.find_bar.state.words == "1 of 2")
        QTest.keyClick(view.find_bar.field, Qt.Key.Key_Return)
        assert view.find_bar.state.words == "2 of 2"
        QTest.keyClick(view.find_bar.field, Qt.Key.Key_Escape)
        assert not view.find_bar.isVisible()
        assert viewer.search.count == 0

    ui.run(scenario())


def test_a_picture_is_shown_with_its_size_and_a_broken_one_is_told(ui: Ui) -> None:
    async def scenario() -> None:
        view = show()
        view.show_result(
            ToolResult(text="", attachments=(ref("a.png", "image/png"), ref("broken.png", "image/png")))
        )
        image = view.stack.currentWidget()
        assert isinstance(image, ImageView)
        await until(lambda: image.said.words.startswith("PNG, 40 × 30"))
        view.files.shown.emit(ref("broken.png", "image/png"))
        await until(lambda: "cannot be read" in image.said.words)
        assert image.canvas.image.isNull()

    ui.run(scenario())


def test_files_are_opened_elsewhere_and_what_is_saved_is_exact(ui: Ui, tmp_path: Path) -> None:
    async def scenario() -> None:
        view = show()
        opened: list[tuple[str, bytes]] = []

        def keep(it: AttachmentRef, data: bytes) -> None:
            opened.append((it.name, data))

        view.open_asked.connect(keep)
        view.show_result(ToolResult(text="x\r\ny", attachments=(ref("letter.txt", "text/plain"),)))
        view.files.opened.emit(ref("letter.txt", "text/plain"))
        await until(lambda: opened)
        assert opened == [("letter.txt", b"Dear Ada")]
        view.write_to(tmp_path / "out.txt", view.whole_text().encode())
        await until(lambda: view.said.words == "Saved as out.txt")
        assert (tmp_path / "out.txt").read_bytes() == b"x\r\ny"
        view.write_to(tmp_path / "absent" / "out.txt", b"")
        await until(lambda: view.said.words.startswith("Not saved: No such file"))

    ui.run(scenario())


def test_a_result_is_compared_with_another_side_by_side_and_by_path(ui: Ui) -> None:
    async def scenario() -> None:
        view = show()
        asked: list[bool] = []
        view.compare_asked.connect(lambda: asked.append(True))
        view.show_result(returned({"a": 1, "b": [1, 2]}))
        view.compare_toggle.click()
        assert asked == [True]
        view.compare_with(returned({"a": 2, "b": [2]}))
        await until(lambda: view.difference.said.words == "2 lines added, 1 removed")
        for _ in range(2):
            view.offers()["next-difference"]()
        model, lines = view.difference.model, view.difference.lines
        assert "now     1" in model.words(model.row(lines.currentIndex().row()))
        view.offers()["previous-difference"]()
        assert "Changed" in model.words(model.row(lines.currentIndex().row()))
        QTest.keyClick(view.difference.findChildren(Segments)[0], Qt.Key.Key_Right)
        await until(lambda: view.difference.said.words == "2 values differ")
        view.compare_with(ToolResult(text="a\nb"))
        await until(lambda: "added" in view.difference.said.words)
        view.compare_toggle.click()
        assert view.stack.isVisible()

    ui.run(scenario())


HOSTILE = (
    "![a](file:///etc/hosts) <img src='file:///etc/hosts'> <script>x</script>\n\n[link](file:///etc/hosts)"
)


def test_markdown_loads_nothing_runs_no_html_and_asks_before_a_link(ui: Ui) -> None:
    async def scenario() -> None:
        page = MarkdownView()
        page.resize(400, 300)
        page.show()
        loaded: list[object] = []
        page.page.sourceChanged.connect(loaded.append)
        page.show_markdown(HOSTILE)
        text = page.page.toPlainText()
        assert "[picture not loaded: file:///etc/hosts]" in text
        assert "<img src='file:///etc/hosts'>" in text
        assert "<script>" in text
        page.page.anchorClicked.emit(QUrl("file:///etc/hosts"))
        dialog = page.findChild(QDialog)
        assert dialog is not None
        assert dialog.windowTitle() == "This link is not opened"
        dialog.reject()
        assert loaded == []

    ui.run(scenario())


def test_long_markdown_is_cut_and_it_is_said(ui: Ui) -> None:
    async def scenario() -> None:
        page = MarkdownView()
        page.show_markdown("word " * 100_000)
        assert "256 KB of 500 KB" in page.note.words
        assert len(page.page.toPlainText()) <= 256_000

    ui.run(scenario())


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n3,4\n", "nul\x00 \u202e", "\n" * 1_000])
def test_any_text_can_be_shown_in_every_face_that_fits(ui: Ui, text: str) -> None:
    async def scenario() -> None:
        view = show()
        view.show_result(ToolResult(text=text))
        for face in view.fitting:
            view.turn_to(face)
            view.grab()
        assert view.whole_text() == text

    ui.run(scenario())
