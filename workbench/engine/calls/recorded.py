"""A call of a replay gets what the same call got then, and nothing runs, where that is wished (T22)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from workbench.base.exact_json import JsonError, dump, parse
from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Call, FailureKind, Origin, ToolResult
from workbench.domain.pages import CallFilter
from workbench.domain.threads import Message, SentCall
from workbench.engine.calls.carrying import carried
from workbench.engine.calls.running import RunningCall, fail
from workbench.engine.replays.counterparts import as_there, counterparts
from workbench.engine.services import Services

_OF_RUNS = frozenset({Origin.MODEL, Origin.QUEUE, Origin.INVOKE})
"""Who makes the calls of a run; one that is made by hand beside it is run."""
_SHORT = 4_000
"""Characters of arguments."""


class StoodIn(Exception):
    """A stage ends the call with what stands in for it."""

    def __init__(self, result: ToolResult) -> None:
        super().__init__()
        self.result = result


async def take_recorded(services: Services, call: RunningCall) -> None:
    """In a replay of recorded results, end the call with its own, as it was kept; what the engine runs goes on.

    Without one it fails, and does not run.
    """
    replay = call.thread.replay
    by_hand = call.request.origin not in _OF_RUNS
    if replay is None or not replay.recorded_tools or by_hand or call.perform is not None:
        return
    then = await _the_same_call(services, call)
    if then is None or then.result is None:
        raise fail(
            FailureKind.HOST_UNAVAILABLE,
            f"{call.request.tool} was not run: the replayed thread has no result of it with these arguments.",
            hint="Replay it with tools that run, or that run dry.",
        )
    call.update(stubbed=True, decision=then.decision, arguments_run=then.arguments_run)
    await _queue_what_it_queued(services, call, then)
    raise StoodIn(await _copied(services, call, then.thread_id, then.result))


async def _queue_what_it_queued(services: Services, call: RunningCall, then: Call) -> None:
    """Of all that its code did beside its result only this is done again: the model is asked with these results."""
    key: str | None = None
    queued: list[CallId] = []
    while True:
        wanted = CallFilter(thread_id=then.thread_id, origins=(Origin.QUEUE,))
        page = await services.store.calls(wanted, key=key)
        queued += [row.id for row in page.rows if row.parent_call_id == then.id]
        key = page.next_key
        if key is None:
            break
    for one in reversed(queued):  # the newest came first
        found = await services.store.call(one)
        if found is not None:
            await call.turn.queue(call, found.tool, found.arguments.encode())


async def _the_same_call(services: Services, call: RunningCall) -> Call | None:
    """Of several with the same arguments the one in the same place; behind the last of them that one."""
    source = call.thread.forked_from
    if source is None:
        return None
    store = services.store
    names = await counterparts(store, call.thread)
    tool, arguments = call.request.tool, _canonical(call.record.arguments)
    then = [
        one.id
        for one in _calls_of(tool, await store.history(source.thread_id))
        if _canonical(as_there(one.arguments, names)) == arguments
    ]
    now = [
        one.id
        for one in _calls_of(tool, await store.history(call.thread.id))
        if _canonical(one.arguments) == arguments
    ]
    if not then:
        return None
    place = now.index(call.id) if call.id in now else len(now)
    return await store.call(then[min(place, len(then) - 1)])


def _calls_of(tool: str, history: Iterable[Message]) -> Iterator[SentCall]:
    return (one for message in history for one in message.tool_calls if one.name == tool)


def _canonical(arguments: str) -> str:
    """However it is laid out; what is no JSON says only itself."""
    # Every call is compared with all before it: each text is read once, unless keeping it would take much room.
    return _read_once(arguments) if len(arguments) <= _SHORT else _read(arguments)


def _read(arguments: str) -> str:
    try:
        return dump(parse(arguments or "{}"))
    except JsonError:
        return arguments


_read_once = lru_cache(maxsize=4_096)(_read)


async def _copied(services: Services, call: RunningCall, source: ThreadId, result: ToolResult) -> ToolResult:
    """The result with copies of its files, which are kept with it."""
    if not result.attachments:
        return result
    paths = [file.path for file in result.attachments]
    copies = await carried(services, source, call.thread.id, paths)
    call.unsaved.extend(copies.writes)
    return result.model_copy(update={"attachments": copies.refs})
