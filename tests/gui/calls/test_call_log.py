"""What a call prints, while it prints and afterwards: each line once, any amount of it, and links to its frames."""

from __future__ import annotations

from pathlib import Path
from time import thread_time

from PySide6.QtCore import Qt

from tests.gui.desk import Desk, open_desk, press
from tests.gui.driving import Ui, until
from tests.gui.projects import write_tool
from workbench.domain.call_logs import LOG_LIMIT, longer_log
from workbench.domain.calls import CallState
from workbench.domain.events import CallLogged
from workbench.gui.calls.call_document import CallDocument, Page
from workbench.gui.calls.call_log import LogViewer, told
from workbench.gui.calls.call_panel import CallPanel
from workbench.gui.live.live_rows import LiveRow
from workbench.gui.results.text_box import TextBox


def document(desk: Desk, row: LiveRow) -> CallDocument:
    desk.space.opener.show_call(row.call_id)
    shown = desk.space.documents.front
    assert isinstance(shown, CallDocument)
    return shown


def test_a_line_that_was_read_with_the_call_and_is_told_afterwards_is_shown_once(
    ui: Ui, project: Path
) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("slow")
            await desk.state(row, CallState.RUNNING)
            shown = document(desk, row)
            await until(lambda: "step 1\n" in shown.log.view.text)
            late = CallLogged(
                call_id=row.call_id,
                thread_id=row.thread_id,
                at=row.seen_at,
                stream="stdout",
                text="step 1\n",
            )
            desk.session.happened.emit([late])
            before = shown.log.lines
            await until(lambda: shown.log.lines > before)
            steps = shown.log.view.text.splitlines()
            assert steps == list(dict.fromkeys(steps))
            assert shown.log.said.words == f"{len(steps)} lines"

    ui.run(scenario())


def test_a_log_that_was_cut_is_not_counted_as_all_that_was_printed() -> None:
    assert told("a\nb\n") == "2 lines"
    assert told(longer_log("a\nb\n", "c" * LOG_LIMIT)) == "The first 3 lines, more was printed"


def test_megabytes_in_one_line_are_shown_at_once_and_the_end_is_followed_only_while_it_is_in_view(
    ui: Ui,
) -> None:
    async def scenario() -> None:
        view = LogViewer()
        view.resize(600, 300)
        view.show()
        began = thread_time()
        view.show_longer("x" * 1_000_000)
        view.viewport().grab()
        assert thread_time() - began < 1
        bar = view.verticalScrollBar()
        bar.setValue(bar.maximum())
        view.show_longer("x" * 1_000_000 + "\n" + "and a line\n" * 200)
        assert bar.value() == bar.maximum()
        bar.setValue(40)
        view.show_longer("x" * 1_000_000 + "\n" + "and a line\n" * 400)
        assert bar.value() == 40
        view.close()

    ui.run(scenario())


def test_a_running_calls_log_of_any_size_is_whole_in_its_document_and_its_newest_in_the_inspector(
    ui: Ui, project: Path
) -> None:
    write_tool(
        project,
        "slow",
        "import asyncio\nfrom workbench import define_tool\n"
        "async def execute(state):\n"
        "    for n in range(30_000):\n"
        "        print('line', n, flush=n == 29_999)\n"
        "    await asyncio.sleep(60)\n"
        "tool = define_tool(description='Print much.', execute=execute)\n",
    )

    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.start("slow")
            await desk.state(row, CallState.RUNNING)
            shown = document(desk, row)
            await until(lambda: shown.log.view.text.endswith("line 29999\n"))
            assert shown.log.lines == 30_000
            assert shown.log.said.words == "30,000 lines"
            panel = CallPanel(desk.session, row.call_id)
            await until(lambda: panel.call is not None)
            box = next(each for each in panel.findChildren(TextBox) if each.view.accessibleName() == "Log")
            assert box.view.toPlainText().endswith("line 29999\n")
            assert box.view.document().characterCount() <= 20_001
            panel.close()

    ui.run(scenario())


def test_a_frame_in_the_log_of_a_call_that_ended_leads_to_its_line(ui: Ui, project: Path) -> None:
    write_tool(
        project,
        "slow",
        "import traceback\nfrom workbench import define_tool\n"
        "def execute(state):\n"
        "    try:\n        raise ValueError('caught')\n    except ValueError:\n        traceback.print_exc()\n"
        "tool = define_tool(description='Print a traceback.', execute=execute)\n",
    )

    async def scenario() -> None:
        async with open_desk(project) as desk:
            row = await desk.run("slow")
            shown = document(desk, row)
            shown.turn_to(Page.LOG)
            went: list[tuple[str, int]] = []

            def go(path: str, line: int) -> None:
                went.append((path, line))

            shown.log.view.opened.connect(go)

            def enter_at_frame() -> bool:
                place = shown.log.view.text.find("slow.py")
                if place >= 0:
                    shown.log.view.caret.put(place)
                    press(shown.log.view, Qt.Key.Key_Return)
                return bool(went)

            await until(enter_at_frame)
            assert went[0] == ("agents/tools/slow.py", 5)

    ui.run(scenario())
