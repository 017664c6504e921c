"""How a thread stands, as a mark and in words, and what it is called where it has no name."""

from __future__ import annotations

from typing import NamedTuple

from workbench.domain.calls import CallState
from workbench.domain.pages import ThreadSummary, WaitingBelow
from workbench.domain.threads import Thread, ThreadStatus
from workbench.gui.style.marks import Mark, mark_of

_LOOKS = {
    ThreadStatus.IDLE: (Mark.SUCCEEDED, "Done"),
    ThreadStatus.RUNNING: (Mark.RUNNING, "Running"),
    ThreadStatus.AWAITING_HUMAN: (Mark.SUCCEEDED, "Your turn"),
    ThreadStatus.WAITING: (Mark.NEEDS_VARIABLE, "Waiting"),
    ThreadStatus.STOPPED: (Mark.STOPPED, "Stopped"),
    ThreadStatus.FAILED: (Mark.FAILED, "Failed"),
    ThreadStatus.TERMINATED: (Mark.STOPPED, "Ended for good"),
}
_LONGEST = 60


class Standing(NamedTuple):
    """How a thread stands: its mark, the word for that, and the thread's own words, where these tell more."""

    mark: Mark
    word: str
    said: str = ""

    @property
    def words(self) -> str:
        return self.said or self.word


def standing(
    thread: Thread | ThreadSummary,
    *,
    is_new: bool = False,
    waits: CallState | None = None,
    asks: bool = False,
    below: WaitingBelow | None = None,
) -> Standing:
    """How a thread stands; `is_new` says that nothing was said in it yet.

    Of one at work `waits` tells how a call of it waits for a person, `asks` that a person is to answer as its model,
    `below` which call of a thread below it waits.
    """
    if thread.status.is_under_way:
        if waits is not None:
            return Standing(mark_of(waits), mark_of(waits).word)
        if asks:
            return _ASKS
        if below is not None:
            return Standing(mark_of(below.state), mark_of(below.state).word, in_full(below))
    said = thread.status_text.rstrip(".")
    if thread.at_limit:
        return Standing(Mark.WARNING, "At its limit", said)
    return _NEW if is_new and thread.status is ThreadStatus.IDLE else Standing(*_LOOKS[thread.status], said)


_NEW = Standing(Mark.UNSET, "Nothing said yet")
_ASKS = Standing(Mark.NEEDS_APPROVAL, "Needs an answer")


def in_full(below: WaitingBelow) -> str:
    """What is waited for below, as a sentence of its own without its full stop."""
    return below.words[:1].upper() + below.words[1:]


def title_of(name: str, words: str, agent: str) -> str:
    """A thread's own name, else its first words, else its agent's name."""
    first = next((line.strip() for line in words.splitlines() if line.strip()), "")
    return name or (first[:_LONGEST] + ("…" if len(first) > _LONGEST else "")) or agent


def age(microseconds: int, now: int) -> str:
    """`now`, `4 min`, `2 h`, `3 d`: how long ago something was, as short as a column needs it."""
    seconds = max(0, now - microseconds) // 1_000_000
    if seconds < 60:
        return "now"
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    raise AssertionError("a minute is the least")
