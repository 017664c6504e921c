"""A message is gone to wherever it stands: on a page that is not read yet, inside of a call, among silent ones."""

from __future__ import annotations

from pathlib import Path

from tests.gui.desk import open_desk
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import FILES, write_talk
from workbench.app import Workbench
from workbench.base.ids import CallId, MessageId, ThreadId, uuid7
from workbench.domain.threads import Message, Role, SentCall, Thread, ThreadKind
from workbench.domain.writes import PutMessage, PutThread
from workbench.gui.thread.conversation_page import FIRST

THREAD = ThreadId(uuid7())
MANY = 2 * FIRST


def message(id: str, text: str, role: Role = Role.USER, **more: object) -> PutMessage:
    said = {"id": MessageId(id), "thread_id": THREAD, "role": role, "created_at": 1, "content": text}
    return PutMessage(Message.model_validate({**said, **more}))


def history() -> list[PutThread | PutMessage]:
    asked = SentCall(id=CallId("ask"), name="ask", arguments="{}")
    thread = Thread(id=THREAD, kind=ThreadKind.AGENT, created_at=1, updated_at=1, agent="front", name="long")
    return [
        PutThread(thread),
        message("first", "the first of all"),
        message("carries", "", Role.ASSISTANT, tool_calls=(asked,)),
        message("result", "asked", Role.TOOL, tool_call_id=asked.id, name="ask"),
        message("inside", "said inside", depth=1, parent_id=MessageId("result")),
        message("silent", "said silently", silent=True),
        *(message(f"m{at}", f"and so on {at}") for at in range(MANY)),
    ]


def test_messages_far_up_inside_of_calls_and_silent_ones_are_gone_to(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with open_desk(write_talk(tmp_path / "talk", []), tools=len(FILES)) as desk:

            async def keep(wb: Workbench) -> None:
                await wb.store.commit(*history())

            await desk.session.ask(keep)
            opener = desk.space.opener
            document = opener.threads.show(THREAD)
            view = document.conversation.view

            def is_at(message_id: str) -> bool:
                row = view.current()
                return row is not None and row.said.message.id == message_id

            for message_id in ("first", "inside", "silent", f"m{MANY - 1}"):
                opener.threads.go_to_message(THREAD, message_id, "")
                await until(lambda message_id=message_id: is_at(message_id))
            opener.threads.go_to_message(THREAD, "carries", "ask")
            await until(lambda: is_at("carries"))
            assert [one.id for one in document.conversation.chosen_calls()] == ["ask"]

    ui.run(story())
