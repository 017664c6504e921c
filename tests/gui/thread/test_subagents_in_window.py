"""Threads below threads, in a real window: from a call to the thread that it made, and back (T5)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.thread_projects import agent_files
from tests.gui.desk import settle
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import Talk, talking
from workbench.domain.threads import ThreadStatus
from workbench.gui.thread.thread_document import ThreadDocument

CREATE = {
    "calls": [
        {
            "name": "subagent_create",
            "arguments": {"relationship": "worker", "name": "Ann", "arguments": {"message": "Work."}},
        }
    ]
}
DONE = {"calls": [{"name": "done", "arguments": {"report": "All done."}}]}
WORKER = {
    "agents/tools/done.py": HEAD
    + 'tool = define_tool(description="Done.", execute=lambda state, args: "ok", args={"type": "object",\n'
    '    "properties": {"report": {"type": "string"}}, "additionalProperties": False})\n',
    "agents/agents/worker.py": HEAD
    + 'agent = define_agent(name="worker", expose_as_tool=True, tool_description="Works.", max_session_turns=6,\n'
    '    side_a=PromptSide("worker_prompt", session_stop=SessionBinding("done", message_property="report")),\n'
    '    side_b=HandlerSide("nobody"))\n',
    "agents/handlers/nobody.py": HEAD
    + "@define_handler(description='Says nothing.')\ndef handle(state, message):\n    return None\n",
}


def write_family(root: Path) -> Path:
    """A boss whose one call makes a worker and waits for its report."""
    return write_files(
        root,
        agent_files("boss", {"steps": [CREATE, {"text": "Good."}]}, side='subagents=[Subagent("worker")]'),
        agent_files("worker", {"replies": [DONE]}, tools=["done"]),
        WORKER,
    )


def front(talk: Talk) -> ThreadDocument:
    document = talk.desk.space.documents.front
    assert isinstance(document, ThreadDocument)
    return document


@pytest.mark.rule("T5")
def test_a_call_leads_to_the_thread_that_it_made_and_that_one_back(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_family(tmp_path / "family")
        async with talking(root, agent="boss", files=len(list(root.glob("agents/*/*.py")))) as talk:
            await talk.say("Go")
            await until(lambda: talk.said("Good."))
            await talk.status(ThreadStatus.AWAITING_HUMAN)
            live = talk.desk.space.live.model
            await until(lambda: "Ann" in [head.title for head in live.threads()])
            page = talk.document.conversation
            assert not talk.document.chosen_calls()
            assert "subagent" in talk.document.offers()  # no call has to be chosen for it
            page.view.go_to(page.model.place(talk.call("subagent_create")))
            if shot := os.environ.get("SHOT"):
                await settle()
                talk.desk.window.grab().save(shot)

            talk.document.offers()["subagent"]()
            await until(lambda: front(talk) is not talk.document)

            child = front(talk)
            await until(lambda: child.now is not None and child.now.parent_id == talk.document.thread_id)
            assert child.head.parent_thread.isVisible()
            assert not talk.document.head.parent_thread.isVisibleTo(talk.document)
            page.view.go_to(0)
            if shot:
                await settle()
                talk.desk.window.grab().save(shot.replace(".png", "-child.png"))

            child.head.parent_thread.click()
            await until(lambda: front(talk) is talk.document)
            await until(lambda: [one.tool for one in talk.document.chosen_calls()] == ["subagent_create"])

            talk.click(talk.call("subagent_create"), "thread")
            await until(lambda: front(talk) is child)
            assert "parent-thread" in child.offers()

    ui.run(story())
