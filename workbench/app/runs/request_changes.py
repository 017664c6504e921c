"""What one request sent that the one before it did not: turns, tools, settings, the system text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from workbench.app.results.alignment import align
from workbench.app.results.differences import Change
from workbench.app.runs.request_parts import settings_of, turn_parts
from workbench.base.exact_json import dump
from workbench.base.ids import RequestId
from workbench.domain.model_requests import ModelRequest, OfferedTool, Turn
from workbench.domain.requests import Request

_WORDS = 80


class Changed(NamedTuple):
    """One difference: what happened, to what, and the beginning of it."""

    change: Change
    what: str
    words: str = ""


def numbers_of(requests: Sequence[Request]) -> Mapping[RequestId, int]:
    """The number of each request in its thread, where its steps begin anew with every session and handoff."""
    return {request.id: at for at, request in enumerate(requests, start=1)}


def one_before(requests: Sequence[Request], request: Request) -> Request | None:
    """The request to compare one with: the last of the same conversation, None for its first."""
    earlier = requests[: next((at for at, one in enumerate(requests) if one.id == request.id), 0)]
    return next((one for one in reversed(earlier) if one.conversation == request.conversation), None)


def changes_between(old: ModelRequest, new: ModelRequest) -> tuple[Changed, ...]:
    """What differs, in the order: turns, system text, tools, settings. Blocks for as long as comparing takes."""
    return (
        *_turns(old.turns, new.turns),
        *_system(old, new),
        *_tools(old.tools, new.tools),
        *_settings(old, new),
    )


def _turns(old: Sequence[Turn], new: Sequence[Turn]) -> Iterator[Changed]:
    """Aligned by what they say: one that was taken out shifts no other."""
    before = [turn.model_dump_json() for turn in old]
    after = [turn.model_dump_json() for turn in new]
    for same, a, b, c, d in align(before, after):
        if not same:
            yield from (_turn(Change.REMOVED, at, turn) for at, turn in enumerate(old[a:b], a + 1))
            yield from (_turn(Change.ADDED, at, turn) for at, turn in enumerate(new[c:d], c + 1))


def _turn(change: Change, number: int, turn: Turn) -> Changed:
    parts = ((part.about, part.first_words) for part in turn_parts(turn))
    words = "; ".join(": ".join(filter(None, part)) for part in parts)
    kind = {"user": "User", "assistant": "Assistant", "tool": "Result", "system": "System"}[turn.role]
    return Changed(change, f"Turn {number}, {kind.lower()}", words[:_WORDS])


def _system(old: ModelRequest, new: ModelRequest) -> Iterator[Changed]:
    if old.system != new.system:
        change = Change.ADDED if not old.system else Change.REMOVED if not new.system else Change.CHANGED
        yield Changed(change, "System text", " ".join((new.system or old.system)[:_WORDS].split()))


def _tools(old: Sequence[OfferedTool], new: Sequence[OfferedTool]) -> Iterator[Changed]:
    before, after = {tool.name: tool for tool in old}, {tool.name: tool for tool in new}
    yield from (Changed(Change.REMOVED, f"Tool {name}") for name in before if name not in after)
    yield from (Changed(Change.ADDED, f"Tool {name}") for name in after if name not in before)
    for name, tool in after.items():
        if name in before and before[name] != tool:
            what = "description" if before[name].input_schema == tool.input_schema else "schema"
            yield Changed(Change.CHANGED, f"Tool {name}", f"another {what}")
    if before != after or list(before) == list(after):
        return
    yield Changed(Change.CHANGED, "Tools", "in another order")


def _settings(old: ModelRequest, new: ModelRequest) -> Iterator[Changed]:
    before, after = settings_of(old), settings_of(new)
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was != now:
            change = (
                Change.ADDED
                if name not in before
                else Change.REMOVED
                if name not in after
                else Change.CHANGED
            )
            words = (
                f"{_short(was)} → {_short(now)}"
                if change is Change.CHANGED
                else _short(now if name in after else was)
            )
            yield Changed(change, name, words)


def _short(value: object) -> str:
    return dump(value)[:_WORDS]
