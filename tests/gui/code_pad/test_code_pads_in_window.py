"""A code pad in the window: written, run, watched, stopped, mended, named, saved, and there again."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.gui.desk import Desk, button, focus, open_desk, press
from tests.gui.driving import Ui, until
from workbench.domain.calls import CallState
from workbench.gui.code_pad.pad_document import CodePad, Page
from workbench.gui.code_pad.pad_names import AskName
from workbench.gui.code_pad.pad_output import Page as OutputPage
from workbench.gui.controls.texts import TextView
from workbench.gui.dialogs.asking import AskToClose
from workbench.gui.navigator.navigator_entries import PAD
from workbench.sandbox.resources import Resources, SandboxUnavailable

CTRL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


async def new_pad(desk: Desk) -> CodePad:
    press(desk.window, Qt.Key.Key_N, CTRL | ALT)
    await until(lambda: isinstance(desk.space.documents.front, CodePad))
    pad = desk.space.documents.front
    assert isinstance(pad, CodePad)
    await until(pad.files.front.edit.hasFocus)
    return pad


def write(pad: CodePad, text: str) -> None:
    pad.files.front.edit.replace_text(text)


async def run(desk: Desk, pad: CodePad) -> None:
    press(desk.window, Qt.Key.Key_Return, CTRL)
    await until(lambda: pad.runner.running)
    await until(lambda: not pad.runner.running)


def test_code_is_run_watched_stopped_and_mended(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            pad = await new_pad(desk)
            await run(desk, pad)
            assert pad.output.state.words.startswith("Succeeded")
            assert pad.output.result.whole_text() == '{"answer":42}'
            assert pad.output.reports.whole_text().count("step") == 3
            assert 'report: {"step":2}' in pad.output.output.text

            write(pad, "let n = 0;\nwhile (true) console.log('line', n++);\n")
            press(focus(), Qt.Key.Key_Return, CTRL)
            await until(lambda: "line 500" in pad.output.output.text)
            assert pad.output.page is OutputPage.OUTPUT
            assert not desk.window.toolbar.run.isEnabled()
            assert desk.window.toolbar.stop_all.isEnabled()
            press(focus(), Qt.Key.Key_Period, CTRL)
            await until(lambda: not pad.runner.running)
            assert pad.output.state.words.startswith("Stopped after")
            assert desk.window.toolbar.run.isEnabled()

            write(pad, "enum A { B }\nexport default () => {\n  return missing.name;\n};\n")
            await run(desk, pad)
            assert "missing is not defined" in pad.output.record.errors[0].message  # pyright: ignore[reportOptionalMemberAccess]
            assert list(pad.files.front.edit.problems_by_line()) == [3]
            pad.turn_to(Page.TOOLS)
            button(pad.output, "main.ts:3:10").click()
            cursor = pad.files.front.edit.textCursor()
            assert (cursor.blockNumber() + 1, cursor.positionInBlock() + 1) == (3, 10)
            pad.files.front.edit.go_to(1)
            press(focus(), Qt.Key.Key_F8)
            assert pad.files.front.edit.current_line() == 3
            assert pad.files.front.edit.hasFocus()

    ui.run(scenario())


def test_what_is_typed_is_kept_and_a_saved_pad_is_named_and_opened_again(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            pad = await new_pad(desk)
            name = pad.id
            press(focus(), Qt.Key.Key_S, CTRL)
            write(pad, "console.log('kept'); export default 6 * 7;\n")
            await until(lambda: pad.unsaved and desk.window.isWindowModified())
            await run(desk, pad)

            async def drafted() -> bool:
                return (await desk.session.ask(lambda wb: wb.code_pads.open(name))).draft == pad.content

            while not await drafted():  # also should the process be killed now
                await until(lambda: True)
            desk.window.commands.run("rename-pad")
            (dialog,) = desk.window.findChildren(AskName)
            QTest.keyClicks(dialog.field, "Six by seven")
            press(dialog.field, Qt.Key.Key_Return)
            await until(lambda: desk.front_title == "Six by seven")
            await until(lambda: [entry.name for entry in desk.space.opener.pads.entries] == ["Six by seven"])
            at = desk.space.navigator.model.position(PAD + name)
            assert at is not None
            assert desk.space.navigator.model.words(desk.space.navigator.model.row(at)) == "Six by seven"
        async with open_desk(project) as desk:
            await until(lambda: desk.space.documents.front_key == PAD + name)
            again = desk.space.opener.pads.opened(name)
            assert again is not None
            assert again.files.front.edit.text() == "console.log('kept'); export default 6 * 7;\n"
            assert again.unsaved
            await until(lambda: again.output.record is not None)
            assert again.output.result.whole_text() == "42"
            again.setFocus()
            press(focus(), Qt.Key.Key_S, CTRL)
            await until(lambda: not again.unsaved)
            write(again, "// not wanted")
            await until(lambda: again.unsaved)
            desk.window.commands.run("discard-pad")
            button(desk.window, "Go back").click()
            await until(lambda: not again.unsaved)
            assert "6 * 7" in again.files.front.edit.text()
            desk.window.commands.run("delete-pad")
            button(desk.window, "Delete").click()
            await until(lambda: desk.space.documents.get(PAD + name) is None)
            await until(lambda: desk.space.navigator.model.position(PAD + name) is None)

    ui.run(scenario())


def test_tools_files_and_options_are_at_hand_and_their_calls_are_live(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            pad = await new_pad(desk)
            write(pad, "export default async (name: string) => suffix((await greet({ name })) as string);\n")
            desk.window.commands.run("pad-tools")
            await until(lambda: pad.tools.view.model().rowCount() > 1)
            QTest.keyClicks(pad.tools.view, "greet")
            press(pad.tools.view, Qt.Key.Key_Space)
            assert pad.tools.chosen == ("greet",)
            desk.window.commands.run("pad-import")
            desk.window.commands.run("pad-import")  # it is there already
            desk.window.commands.run("pad-file")
            (dialog,) = desk.window.findChildren(AskName)
            dialog.field.setText("lib")
            press(dialog.field, Qt.Key.Key_Return)
            await until(lambda: "no ending" in dialog.refusal.words)
            dialog.field.setText("lib.ts")
            press(dialog.field, Qt.Key.Key_Return)
            await until(lambda: pad.files.front.name == "lib.ts")
            desk.window.activateWindow()
            await until(desk.window.isActiveWindow)
            write(pad, "export const suffix = (text: string) => text + ' Really.';\n")
            pad.files.insert_line("import { suffix } from './lib.ts';")
            assert pad.files.files[0].text.startswith(
                "import { suffix } from './lib.ts';\nimport { greet } from"
            )

            desk.window.commands.run("pad-options")
            args = pad.options.form.at("/timeLimit")
            args.edit_as_json()
            args.set_json_text("soon")
            press(desk.window, Qt.Key.Key_Return, CTRL)
            assert not pad.runner.running
            assert pad.why_not() == "the options have problems"
            pad.options.load('{"args": ["Ines"], "timeLimit": 60}')
            await run(desk, pad)
            assert pad.output.result.whole_text() == '"Hello, Ines! Really."'
            await until(lambda: [row.state for row in desk.rows()] == [CallState.SUCCEEDED])
            assert desk.rows()[0].tool == "greet"

            pad.tools.choose(("slow",))
            pad.go_to("main.ts", 1)
            write(pad, "import { slow } from 'tools';\nexport default () => slow();\n")
            press(focus(), Qt.Key.Key_Return, CTRL)
            await until(lambda: [row.state for row in desk.rows()][1:] == [CallState.RUNNING])
            desk.window.close()
            assert isinstance(desk.window.asking, AskToClose)
            desk.window.asking.reject()
            desk.window.activateWindow()
            await until(desk.window.isActiveWindow)
            press(desk.window, Qt.Key.Key_Escape, SHIFT)
            await until(lambda: not pad.runner.running)
            await until(lambda: desk.rows()[1].state is CallState.STOPPED)

    ui.run(scenario())


def test_closing_a_pad_ends_its_code(ui: Ui, project: Path) -> None:
    async def scenario() -> None:
        async with open_desk(project) as desk:
            pad = await new_pad(desk)
            write(pad, "while (true) report('on and on');\n")
            press(focus(), Qt.Key.Key_Return, CTRL)
            await until(lambda: "on and on" in pad.output.output.text)
            press(focus(), Qt.Key.Key_W, CTRL)

            async def running() -> int:
                return await desk.session.ask(lambda wb: wb.code_pads.running)

            while await running():
                await until(lambda: True)
            assert desk.space.at_work() == (0, 0)

    ui.run(scenario())


def test_without_a_sandbox_the_pad_says_what_to_do(
    ui: Ui, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(folder: Path | None = None) -> Resources:
        raise SandboxUnavailable("There is no sandbox here.", hint="python3 packaging/sandbox/build.py")

    async def scenario() -> None:
        async with open_desk(project) as desk:
            monkeypatch.setattr(Resources, "find", missing)
            pad = await new_pad(desk)
            press(focus(), Qt.Key.Key_Return, CTRL)
            await until(lambda: pad.output.state.words == "Not run")
            assert not pad.runner.running
            told = [view.toPlainText() for view in pad.output.failure.findChildren(TextView)]
            assert told == ["python3 packaging/sandbox/build.py"]
            write(pad, "// goes on")
            assert desk.window.toolbar.run.isEnabled()

    ui.run(scenario())
