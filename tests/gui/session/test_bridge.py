"""The engine's thread and the window meet in one place, and nothing is lost or left running there."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from tests.gui.driving import Ui, until
from workbench.base.errors import RunError, UserError
from workbench.gui.session.bridge import Bridge
from workbench.gui.session.mailbox import Mailbox, Post


class Subject:
    """What lives in the engine's thread during these tests."""

    def __init__(self, post: Callable[[object], None]) -> None:
        self.post = post
        self.seen: list[str] = []
        self.thread = threading.current_thread()

    async def double(self, number: int) -> int:
        await asyncio.sleep(0)
        return number * 2

    async def fail(self) -> None:
        raise UserError("The shelf is empty.")

    async def wait_forever(self) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.seen.append("cancelled")
            raise


@asynccontextmanager
async def open_subject(post: Callable[[object], None]) -> AsyncGenerator[Subject]:
    yield Subject(post)


def test_work_runs_in_the_engines_thread_and_its_answer_comes_back(ui: Ui) -> None:
    async def scenario() -> None:
        bridge = Bridge(open_subject, lambda post: None)
        bridge.start()
        assert await bridge.call(lambda subject: subject.double(21)) == 42
        assert await bridge.call(lambda subject: subject.thread) is not threading.current_thread()
        await bridge.close()

    ui.run(scenario())


def test_an_exception_crosses_the_bridge_as_it_was_raised(ui: Ui) -> None:
    async def scenario() -> None:
        bridge = Bridge(open_subject, lambda post: None)
        bridge.start()
        with pytest.raises(UserError, match="shelf"):
            await bridge.call(lambda subject: subject.fail())
        await bridge.close()

    ui.run(scenario())


def test_cancelling_in_the_window_cancels_in_the_engine(ui: Ui) -> None:
    async def scenario() -> None:
        bridge = Bridge(open_subject, lambda post: None)
        bridge.start()
        subject = await bridge.opened()
        waiting = asyncio.ensure_future(bridge.call(lambda subject: subject.wait_forever()))
        await until(lambda: bridge.waiting == 1)
        waiting.cancel()
        await until(lambda: subject.seen == ["cancelled"])
        await bridge.close()

    ui.run(scenario())


def test_closing_ends_calls_that_still_wait_and_the_thread(ui: Ui) -> None:
    async def scenario() -> None:
        bridge = Bridge(open_subject, lambda post: None)
        bridge.start()
        subject = await bridge.opened()
        waiting = asyncio.ensure_future(bridge.call(lambda subject: subject.wait_forever()))
        await until(lambda: bridge.waiting == 1)
        await bridge.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert subject.seen == ["cancelled"]
        assert not subject.thread.is_alive()
        with pytest.raises(RunError):
            await bridge.call(lambda subject: subject.double(1))

    ui.run(scenario())


def test_a_subject_that_cannot_be_opened_says_why_and_the_bridge_still_closes(ui: Ui) -> None:
    @asynccontextmanager
    async def refuse(post: Callable[[object], None]) -> AsyncGenerator[Subject]:
        raise UserError("This store was written by a newer Workbench.")
        yield Subject(post)

    async def scenario() -> None:
        bridge = Bridge(refuse, lambda post: None)
        bridge.start()
        with pytest.raises(UserError, match="newer"):
            await bridge.opened()
        await bridge.close()

    ui.run(scenario())


def test_many_posts_reach_the_window_in_order_and_in_few_looks(ui: Ui) -> None:
    looks: list[Post[object]] = []

    async def scenario() -> None:
        bridge = Bridge(open_subject, looks.append)
        bridge.start()

        def send(subject: Subject) -> None:
            for number in range(5_000):
                subject.post(number)

        await bridge.call(send)
        await until(lambda: sum(len(post.items) for post in looks) == 5_000)
        await bridge.close()

    ui.run(scenario())
    assert [item for post in looks for item in post.items] == list(range(5_000))
    assert len(looks) < 50


def _mailbox(limit: int, wakes: list[int]) -> Mailbox[tuple[str, str]]:
    return Mailbox(
        limit=limit,
        key=lambda item: item[0] or None,
        merge=lambda old, new: (old[0], old[1] + new[1]),
        wake=lambda: wakes.append(1),
    )


def test_what_is_about_the_same_thing_waits_as_one() -> None:
    mailbox = _mailbox(10, [])
    for item in [("a", "1"), ("", "x"), ("a", "2"), ("b", "1"), ("", "y"), ("a", "3")]:
        mailbox.put(item)
    assert mailbox.take().items == [("a", "123"), ("", "x"), ("b", "1"), ("", "y")]


def test_a_look_may_take_a_part_and_what_is_left_goes_on_being_merged() -> None:
    wakes: list[int] = []
    mailbox = _mailbox(10, wakes)
    for item in [("a", "1"), ("b", "1"), ("", "x"), ("c", "1")]:
        mailbox.put(item)
    assert mailbox.take(2) == Post([("a", "1"), ("b", "1")], 0, more=True)
    for item in [("a", "2"), ("c", "2")]:
        mailbox.put(item)
    assert mailbox.take(9) == Post([("", "x"), ("c", "12"), ("a", "2")], 0)
    assert len(wakes) == 1, "whoever left something looks again by himself"


def test_a_full_mailbox_counts_what_it_lets_go_and_is_empty_after_a_look() -> None:
    wakes: list[int] = []
    mailbox = _mailbox(3, wakes)
    for number in range(5):
        mailbox.put(("", str(number)))
    post = mailbox.take()
    assert ([text for _, text in post.items], post.lost) == (["0", "1", "2"], 2)
    assert mailbox.take() == Post([], 0)
    mailbox.put(("", "again"))
    assert len(wakes) == 2, "one wake for each look that has something to see"
