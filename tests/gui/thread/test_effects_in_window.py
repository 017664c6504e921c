"""What threads schedule, in a real window: seen with its history, run now, run again and taken back by the keys."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from tests.app.agent_files import HEAD
from tests.gui.desk import press, settle
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import FILES, Talk, talking, write_talk
from workbench.base.ids import EffectId, uuid7
from workbench.domain.definitions import DefinitionKind
from workbench.domain.effects import EffectState
from workbench.domain.writes import PutEffect
from workbench.gui.effects.effects_view import EffectsView
from workbench.gui.tool.tool_document import Page

SCHEDULES = {
    "agents/tools/echo.py": HEAD
    + """
async def execute(state, args):
    for text, minutes in (("Mail the offer", 90), ("Nothing", 1500)):
        await state.schedule_effect("remind", {"text": text}, delay=minutes * 60_000)
    return args["text"]
tool = define_tool(description="Echo.", args={"type": "object", "properties": {"text": {"type": "string"}}},
    execute=execute)
""",
    "agents/effects/remind.py": HEAD
    + """
def run(state, args):
    print("Looking for", args["text"])
    if args["text"] == "Nothing":
        raise ValueError("There is nothing of that kind.")
effect = define_effect("Reminds of something.", run)
""",
}
STEPS: list[dict[str, Any]] = [
    {"text": "I schedule.", "calls": [{"name": "echo", "arguments": {"text": "x"}}]},
    {"text": "Scheduled."},
]


async def scheduled(talk: Talk) -> EffectsView:
    """The page of the effects, once two are scheduled."""
    await talk.say("Remind me")
    await until(lambda: talk.said("Scheduled."))
    await talk.parked()
    view = talk.document.page("Effects")
    assert isinstance(view, EffectsView)
    await until(lambda: view.model.count() == 2)
    view.list.setFocus()
    return view


def states(view: EffectsView) -> list[EffectState]:
    return [row.state for row in view.model.rows]


def ask(talk: Talk, what: str) -> None:
    """As the command of that name does."""
    talk.document.offers()[what]()


@pytest.mark.rule("T16")
def test_effects_are_run_now_again_and_taken_back(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", STEPS, SCHEDULES), files=len(FILES) + 1) as talk:
            view = await scheduled(talk)
            assert "in 1 h" in view.model.words(view.model.row(0))
            assert "2" in talk.document.tabs.tabToolTip(6)
            ask(talk, "run-effect")
            await until(lambda: states(view) == [EffectState.PENDING, EffectState.COMPLETED])
            done = view.list.current()
            assert done is not None
            assert (done.state, done.log) == (EffectState.COMPLETED, "Looking for Mail the offer\n")
            view.list.go_to(0)
            ask(talk, "run-effect")
            await until(lambda: states(view) == [EffectState.FAILED, EffectState.COMPLETED])
            assert "There is nothing of that kind" in view.model.words(view.model.row(0))
            assert {"run-effect", "cancel-effect", "effect-thread"}.isdisjoint(talk.document.offers())
            view.list.go_to(1)
            ask(talk, "replay-effect")
            await until(lambda: states(view).count(EffectState.COMPLETED) == 2)
            chosen = view.list.current()
            assert chosen is not None
            assert chosen.replay_of == done.id
            if shot := os.environ.get("SHOT"):
                view.list.go_to(1)
                await settle()
                talk.desk.window.grab().save(shot)

    ui.run(story())


@pytest.mark.slow
@pytest.mark.rule("T16")
def test_the_document_of_an_effect_shows_all_that_was_scheduled_and_leads_to_the_thread(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", STEPS, SCHEDULES), files=len(FILES) + 1) as talk:
            view = await scheduled(talk)
            press(view.list, Qt.Key.Key_Delete)
            await until(lambda: states(view) == [EffectState.PENDING, EffectState.USER_CANCELED])
            opener = talk.desk.space.opener
            (listing,) = [one for one in talk.desk.session.listings if one.file.kind is DefinitionKind.EFFECT]
            document = await opener.open_tool(listing)
            document.turn_to(Page.EFFECTS)
            history = document.effects
            assert history is not None
            await until(lambda: states(history) == states(view))
            history.list.setFocus()
            if shot := os.environ.get("SHOT"):
                talk.desk.window.grab().save(shot.replace(".png", "-definition.png"))
            press(history.list, Qt.Key.Key_Return)
            await until(lambda: opener.threads.is_in_front(talk.document.thread_id))
            assert talk.document.pages.currentWidget() is view

    ui.run(story())


@pytest.mark.slow
def test_a_long_history_is_read_on_when_it_is_scrolled_to_its_end(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        async with talking(write_talk(tmp_path / "talk", STEPS, SCHEDULES), files=len(FILES) + 1) as talk:
            view = await scheduled(talk)
            waits = view.model.row(0)
            done = [
                waits.model_copy(
                    update={"id": EffectId(uuid7()), "due_at": at, "state": EffectState.COMPLETED}
                )
                for at in range(1_200)
            ]
            await talk.desk.session.ask(lambda wb: wb.store.commit(*map(PutEffect, done)))
            ask(talk, "cancel-effect")
            await until(lambda: view.model.count() == 501)
            assert "1,202" in talk.document.tabs.tabToolTip(6)
            bar = view.list.verticalScrollBar()
            bar.setValue(bar.maximum())
            await until(lambda: view.model.count() == 1_001)
            assert 0 < bar.value() < bar.maximum()
            bar.setValue(bar.maximum())
            await until(lambda: view.model.count() == 1_202)
            assert view.model.row(1_201).id == done[0].id

    ui.run(story())
