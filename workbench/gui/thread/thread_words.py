"""How a thread stands, as a mark and in words, and what it is called where it has no name."""

from __future__ import annotations

from workbench.domain.threads import ThreadStatus
from workbench.gui.marks import Mark

_LOOKS = {
    ThreadStatus.IDLE: (Mark.SUCCEEDED, "Done"),
    ThreadStatus.RUNNING: (Mark.RUNNING, "Running"),
    ThreadStatus.AWAITING_HUMAN: (Mark.SUCCEEDED, "Your turn"),
    ThreadStatus.WAITING: (Mark.NEEDS_VARIABLE, "Waiting"),
    ThreadStatus.STOPPED: (Mark.STOPPED, "Stopped"),
    ThreadStatus.FAILED: (Mark.FAILED, "Failed"),
    ThreadStatus.TERMINATED: (Mark.STOPPED, "Ended for good"),
}
_AT_LIMIT = (Mark.WARNING, "At its limit")
_NEW = (Mark.UNSET, "Nothing said yet")
_LONGEST = 60


def standing(status: ThreadStatus, *, is_new: bool = False, at_limit: bool = False) -> tuple[Mark, str]:
    """Mark and word of how a thread stands; `is_new` says that nothing was said in it yet, `at_limit` that a bound
    and not its work ended its last run."""
    if at_limit:
        return _AT_LIMIT
    return _NEW if is_new and status is ThreadStatus.IDLE else _LOOKS[status]


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
