"""A call of a replay gets what the same call got then, and nothing runs, where that is wished (T22)."""

from __future__ import annotations

from workbench.base.exact_json import JsonError, dump, parse
from workbench.domain.calls import Call, FailureKind, Origin, ToolResult
from workbench.domain.threads import SentCall
from workbench.engine.calls.running import RunningCall, fail
from workbench.engine.replays.counterparts import as_there, counterparts
from workbench.engine.services import Services
from workbench.engine.threads.carrying import carried

_OF_RUNS = frozenset({Origin.MODEL, Origin.QUEUE, Origin.INVOKE})
"""Who makes the calls of a run; one that is made by hand beside it is run."""


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
    raise StoodIn(await _copied(services, call, then.thread_id, then.result))


async def _the_same_call(services: Services, call: RunningCall) -> Call | None:
    """Of several with the same arguments the one in the same place; behind the last of them that one."""
    source = call.thread.forked_from
    if source is None:
        return None
    store = services.store
    names = await counterparts(store, call.thread)
    wanted = (call.request.tool, _canonical(call.record.arguments))
    then = [
        sent
        for message in await store.history(source.thread_id)
        for sent in message.tool_calls
        if _key(sent.model_copy(update={"arguments": as_there(sent.arguments, names)})) == wanted
    ]
    now = [
        sent.id
        for message in await store.history(call.thread.id)
        for sent in message.tool_calls
        if _key(sent) == wanted
    ]
    if not then:
        return None
    place = now.index(call.id) if call.id in now else len(now)
    return await store.call(then[min(place, len(then) - 1)].id)


def _key(sent: SentCall) -> tuple[str, str]:
    return sent.name, _canonical(sent.arguments)


def _canonical(arguments: str) -> str:
    """However it is laid out; what is no JSON says only itself."""
    try:
        return dump(parse(arguments or "{}"))
    except JsonError:
        return arguments


async def _copied(services: Services, call: RunningCall, source: str, result: ToolResult) -> ToolResult:
    """The result with copies of its files, which are kept with it."""
    if not result.attachments:
        return result
    paths = [file.path for file in result.attachments]
    copies = await carried(services, source, call.thread.id, paths)  # pyright: ignore[reportArgumentType]
    call.unsaved.extend(copies.writes)
    return result.model_copy(update={"attachments": copies.refs})
