"""Starting a thread in the window: the agent, its arguments, the variables that are missing, the first message."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from tests.app.agent_files import HEAD
from tests.gui.desk import Desk, focus, open_desk, press
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import FILES, write_talk
from workbench.app.threads.thread_starts import StartableAgent
from workbench.domain.definitions import DefinitionKind
from workbench.domain.threads import ThreadStatus
from workbench.gui.form.form_choices import ListPopup
from workbench.gui.navigator.navigator_entries import More
from workbench.gui.thread.start_thread import Start, StartThread
from workbench.gui.thread.thread_document import ThreadDocument

ASKING = {
    "agents/prompts/asking.py": HEAD
    + 'p = define_prompt(name="asking", tool_description="Asks.", prompt=["At ", Env("DESK_NAME")],\n'
    '    model="offline", variables=[Variable("DESK_NAME", type="text", required=True)],\n'
    '    required_schema={"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]})\n',
    "agents/agents/asker.py": HEAD
    + 'a = define_agent(name="asker", side_a=PromptSide("asking"), side_b=HumanSide())\n',
    "agents/prompts/open.py": HEAD
    + 'p = define_prompt(name="open", tool_description="Talks.", prompt="Talk.", model="offline",\n'
    '    required_schema={"type": "object", "properties": {"topic": {"type": "string"}}})\n',
    "agents/agents/maybe.py": HEAD
    + 'a = define_agent(name="maybe", side_a=PromptSide("open"), side_b=HumanSide())\n',
}


def dialog() -> StartThread | None:
    shown = (
        one for one in QApplication.topLevelWidgets() if isinstance(one, StartThread) and one.isVisible()
    )
    return next(shown, None)


async def ask(desk: Desk, agent: str) -> StartThread:
    desk.space.opener.threads.start(desk.space, agent)
    await until(dialog)
    found = dialog()
    assert found is not None
    return found


def popup_of(choice: QWidget) -> ListPopup:
    *_, newest = choice.findChildren(ListPopup)
    return newest


def front(desk: Desk) -> ThreadDocument:
    document = desk.space.documents.front
    assert isinstance(document, ThreadDocument)
    return document


async def loaded(desk: Desk) -> None:
    await until(lambda: all(listing.definition for listing in desk.session.listings))


def test_ctrl_t_starts_a_thread_with_its_first_message_and_the_work_goes_on_there(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        async with open_desk(write_talk(tmp_path / "talk", []), tools=len(FILES)) as desk:
            await loaded(desk)
            model = desk.space.navigator.model
            await until(lambda: isinstance(model.row(model.count() - 1), More))
            desk.window.commands.run("start-thread")
            await until(dialog)
            asked = dialog()
            assert asked is not None
            assert asked.agent.name == "front"
            asked.message.setPlainText("Good morning")
            press(asked.message, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: isinstance(desk.space.documents.front, ThreadDocument))
            words = front(desk).conversation.model
            await until(
                lambda: any(
                    "You said: Good morning" in words.words(words.row(at)) for at in range(words.count())
                )
            )
            await until(lambda: model.words(model.row(model.count() - 1)).startswith("Good morning, front"))

    ui.run(story())


@asynccontextmanager
async def asking(folder: Path) -> AsyncGenerator[Desk]:
    """A window on a project with an agent that asks for an argument and a variable."""
    async with open_desk(write_talk(folder / "talk", [], ASKING), tools=len(FILES) + len(ASKING)) as desk:
        await loaded(desk)
        yield desk


@pytest.mark.rule("C5")
def test_arguments_have_a_form_and_a_missing_variable_is_asked_for(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with asking(tmp_path) as desk:
            asked = await ask(desk, "asker")
            assert list(asked.variables) == ["DESK_NAME"]
            assert asked.form is not None
            asked.message.setPlainText("Hello")
            asked.button.click()
            await until(lambda: "The arguments have problems" in asked.refusal.words)
            asked.form.form.load({"topic": "parcels"})
            asked.variables["DESK_NAME"].setText("North")
            press(asked.variables["DESK_NAME"], Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
            await until(lambda: isinstance(desk.space.documents.front, ThreadDocument))
            document = front(desk)
            await until(
                lambda: document.now is not None and document.now.status is ThreadStatus.AWAITING_HUMAN
            )
            assert document.now is not None
            assert document.now.arguments == {"topic": "parcels"}

    ui.run(story())


@pytest.mark.rule("C5")
def test_a_thread_that_waits_for_a_variable_says_which_and_goes_on_when_it_has_one(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        async with asking(tmp_path) as desk:
            asked = await ask(desk, "asker")
            assert asked.form is not None
            asked.form.form.load({"topic": "parcels"})
            asked.message.setPlainText("Hello")
            asked.button.click()
            await until(lambda: isinstance(desk.space.documents.front, ThreadDocument))
            document = front(desk)
            await until(lambda: document.strip.waits.words == "Waits for DESK_NAME.")
            assert document.head.state.words == "Waits for DESK_NAME"
            assert desk.space.at_work() == (1, 0)
            await desk.session.ask(lambda wb: wb.variables.set("DESK_NAME", "North"))
            await until(
                lambda: document.now is not None and document.now.status is ThreadStatus.AWAITING_HUMAN
            )
            assert document.strip.isHidden()

    ui.run(story())


def test_the_dialog_begins_with_the_agent_in_front_or_used_last_and_others_are_found_by_typing(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        async with asking(tmp_path) as desk:
            first = await ask(desk, "")
            assert first.agent.name == "asker"
            await until(first.choice.hasFocus)
            first.reject()
            await until(lambda: dialog() is None)

            await desk.session.ask(lambda wb: wb.threads.start("front"))  # by another window, or yesterday
            second = await ask(desk, "")
            assert (second.agent.name, second.form) == ("front", None)
            await until(second.message.hasFocus)
            press(second.choice, Qt.Key.Key_S)
            await until(lambda: popup_of(second.choice).isAncestorOf(focus()))
            press(focus(), Qt.Key.Key_Return)
            assert second.agent.name == "asker"
            assert second.form is not None
            assert second.form.isAncestorOf(focus())
            press(second.choice, Qt.Key.Key_M)
            await until(lambda: popup_of(second.choice).isAncestorOf(focus()))
            press(focus(), Qt.Key.Key_Return)
            assert second.agent.name == "maybe"
            assert second.form is not None
            assert second.message.hasFocus()  # nothing is needed but what is said
            second.reject()
            await until(lambda: dialog() is None)

            kind = DefinitionKind.AGENT
            (listing,) = [
                one for one in desk.session.listings if (one.file.kind, one.name) == (kind, "asker")
            ]
            document = await desk.space.opener.open_tool(listing)
            document.thread_asked.emit("asker")
            await until(dialog)
            third = dialog()
            assert third is not None
            assert third.agent.name == "asker"
            third.reject()

    ui.run(story())


def test_agents_stand_by_name_and_the_first_primary_one_is_asked_for(ui: Ui) -> None:
    def agent(name: str, *, primary: bool) -> StartableAgent:
        return StartableAgent(name=name, title=name, description="", path="", primary=primary)

    agents = [agent("clerk", primary=False), agent("desk", primary=True), agent("porter", primary=True)]
    asked = StartThread(QWidget(), agents, "", _nothing)
    assert asked.agent.name == "desk"
    assert StartThread(QWidget(), agents, "clerk", _nothing).agent.name == "clerk"


async def _nothing(start: Start) -> None:
    pass
