"""Two threads side by side: chosen in the navigator or looked for, gone through by keys, followed as they go on."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.gui.desk import Desk, open_desk, press
from tests.gui.driving import Ui, until
from tests.gui.thread.talking import FILES, write_talk
from workbench.app import Workbench
from workbench.app.threads.comparison_rows import Detail, Fold, Head
from workbench.base.ids import ThreadId
from workbench.domain.model_answers import Usage
from workbench.domain.pages import ThreadSummary, ThreadTotals
from workbench.domain.threads import ForkedFrom, ThreadStatus
from workbench.gui.thread.thread_document import ThreadDocument
from workbench.gui.thread_comparison.comparison_document import ThreadComparisonView
from workbench.gui.thread_comparison.side_head import figures_of
from workbench.gui.thread_comparison.thread_choice import ThreadChoice, ThreadRows

CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)


async def talk(desk: Desk, *words: str) -> ThreadId:
    """A thread in which a person said these words and was answered."""

    async def start(wb: Workbench) -> ThreadId:
        thread = await wb.threads.start("front")
        for said in words:
            await wb.threads.send(thread.id, said)
            await wb.threads.parked(thread.id)
        return thread.id

    return await desk.session.ask(start)


async def comparison(desk: Desk) -> ThreadComparisonView:
    await until(lambda: isinstance(desk.space.documents.front, ThreadComparisonView))
    view = desk.space.documents.front
    assert isinstance(view, ThreadComparisonView)
    await until(lambda: bool(view.model.count()) and not view.rows.wanted())
    return view


def told(view: ThreadComparisonView) -> list[str]:
    return [view.model.words(row) for row in view.model.rows]


def choose(desk: Desk, *ids: ThreadId) -> None:
    """Click threads of the navigator, with Ctrl held."""
    view, model = desk.space.navigator.view, desk.space.navigator.model
    for thread_id in ids:
        at = model.position(f"thread:{thread_id}")
        assert at is not None
        view.scrollTo(model.index(at, 0))
        place = view.visualRect(model.index(at, 0)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, CTRL, place)


def test_what_a_thread_came_to_is_told_with_how_much_more_or_less_that_is() -> None:
    usage = Usage(input_tokens=1_000, output_tokens=200, cost=Decimal("0.0031"))
    a = ThreadTotals(requests=2, calls=3, worked_ms=1_500, usage=usage)
    usage = Usage(input_tokens=900, output_tokens=200, cost=Decimal("0.0040"))
    b = ThreadTotals(requests=3, calls=3, worked_ms=1_000, usage=usage)

    assert figures_of(a) == "2 steps, 3 calls, 1,200 tokens, $0.0031, 1.5 s"
    assert (
        figures_of(b, a) == "3 steps (+1), 3 calls, 1,100 tokens (−100), $0.0040 (+$0.0009), 1.0 s (−500 ms)"
    )


def test_what_can_be_compared_is_told_apart_though_it_began_with_the_same_words() -> None:
    row = ThreadSummary(
        id=ThreadId("0-c40e82"), agent="front", status=ThreadStatus.IDLE, created_at=1, updated_at=1
    )
    came = row.model_copy(update={"forked_from": ForkedFrom(thread_id=row.id)})
    notes = [ThreadRows().note(one) for one in (row, came, came.model_copy(update={"is_replay": True}))]
    assert notes == ["front", "front, a fork", "front, a replay"]
    assert "c40e82" in ThreadRows().words(row)


@pytest.mark.rule("T25")
def test_two_threads_chosen_in_the_navigator_are_compared_and_followed_while_one_goes_on(
    ui: Ui, tmp_path: Path
) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [])
        async with open_desk(root, tools=len(FILES)) as desk:
            await until(lambda: all(one.definition for one in desk.session.listings))
            first = await talk(desk, "hello", "a red parcel", "thanks")
            second = await talk(desk, "hello", "a blue parcel", "thanks")
            navigator = desk.space.navigator
            await until(lambda: all(navigator.model.position(f"thread:{one}") for one in (first, second)))
            before = desk.space.documents.front_key

            navigator.select(None)
            choose(desk, second, first)
            assert desk.space.documents.front_key == before  # choosing opens nothing
            assert set(navigator.chosen_threads()) == {first, second}
            press(desk.window, Qt.Key.Key_M, CTRL | ALT)
            view = await comparison(desk)

            assert desk.space.documents.front_key == f"compared:{first} {second}"
            assert told(view) == [
                "2 equal, hidden",
                "Entry 3, differs in text. A: guest: a red parcel; B: guest: a blue parcel",
                "Changed: a red parcel, now a blue parcel",
                "Entry 4, differs in text. A: helper: You said: a red parcel; B: helper: You said: a blue parcel",
                "Changed: You said: a red parcel, now You said: a blue parcel",
                "2 equal, hidden",
            ]
            assert view.said.words == "2 changed, 4 equal"
            assert navigator.chosen_threads() == []
            press(desk.window, Qt.Key.Key_F7)
            assert view.view.currentIndex().row() == 3
            line = view.model.row(4)
            view.view.go_to(4)

            await desk.session.ask(lambda wb: wb.threads.send(second, "one more"))
            await until(lambda: view.said.words == "2 changed, 2 only in B, 4 equal")
            await until(lambda: any("only in B" in words for words in told(view)))
            assert view.view.current() == line
            assert desk.space.documents.front_key == f"compared:{first} {second}"

            view.view.setFocus()
            press(view.view, Qt.Key.Key_Return, SHIFT)
            document = desk.space.documents.get(f"thread:{first}")
            assert isinstance(document, ThreadDocument)
            await until(lambda: document.conversation.view.current() is not None)
            row = document.conversation.view.current()
            assert row is not None
            assert row.said.text == "You said: a red parcel"

            await desk.session.ask(lambda wb: wb.threads.send(second, "behind your back"))
            await desk.session.ask(lambda wb: wb.threads.parked(second))
            desk.space.documents.bring_forward(view)
            await until(lambda: view.said.words == "2 changed, 4 only in B, 4 equal")

    ui.run(story())


def test_a_fork_is_compared_with_its_original_which_the_choice_offers_first(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_talk(tmp_path / "talk", [])
        settings = tmp_path / "window.ini"
        async with open_desk(root, tools=len(FILES), settings=settings) as desk:
            await until(lambda: all(one.definition for one in desk.session.listings))
            first, _ = [await talk(desk, words) for words in ("hello", "else")]
            second = (await desk.session.ask(lambda wb: wb.threads.forks.fork(first))).thread.id
            document = desk.space.opener.threads.show(second)
            await until(lambda: document.now is not None)
            desk.window.commands.run("compare-original")
            view = await comparison(desk)
            (fold,) = view.model.rows
            assert isinstance(fold, Fold)
            assert fold.common
            press(view.view, Qt.Key.Key_Right)
            assert [type(row) for row in view.model.rows] == [Fold, Head, Head]
            view.view.go_to(1)
            press(view.view, Qt.Key.Key_Space)
            await until(lambda: any(isinstance(row, Detail) for row in view.model.rows))

            desk.space.documents.bring_forward(document)
            press(desk.window, Qt.Key.Key_M, CTRL | ALT)
            await until(lambda: desk.window.findChildren(ThreadChoice))
            (choice,) = desk.window.findChildren(ThreadChoice)
            await until(lambda: choice.model.count() == 2)
            assert [choice.model.note(row) for row in choice.model.rows] == ["the original", "front"]
            press(choice.search, Qt.Key.Key_Down)
            assert choice.view.current() == choice.model.rows[1]
            press(choice.view, Qt.Key.Key_Home)
            press(choice.view, Qt.Key.Key_Return)
            assert await comparison(desk) is view  # it is open already

        async with open_desk(root, tools=len(FILES), settings=settings) as desk:
            view = await comparison(desk)
            assert view.said.words == "They say the same: 2 entries"

    ui.run(story())
