"""A thread and all below it as a timeline: who worked when, side by side, sub-prompts and children on their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from workbench.app.runs.bars import Bar, Group, Lane, Standing, Timeline, Work, total
from workbench.app.runs.request_changes import numbers_of
from workbench.app.workbench import Workbench
from workbench.base.ids import CallId, RequestId, ThreadId
from workbench.domain.agents import AgentDefinition, HandlerSide, HumanSide, PromptSide, SideName
from workbench.domain.calls import CallState
from workbench.domain.models import Provider
from workbench.domain.requests import Request, RequestState
from workbench.domain.spans import CallSpan, ThreadSpans, Wait
from workbench.domain.threads import Thread

_MOST_ROWS = 12
"""Lanes that calls at the same time are spread over; more of them lie over each other in the last."""
_SIDES: tuple[SideName, ...] = ("a", "b")

_OF_REQUEST = {
    RequestState.RUNNING: Standing.RUNNING,
    RequestState.ANSWERED: Standing.SUCCEEDED,
    RequestState.FAILED: Standing.FAILED,
    RequestState.STOPPED: Standing.STOPPED,
}
_OF_CALL = {
    CallState.RUNNING: Standing.RUNNING,
    CallState.SUCCEEDED: Standing.SUCCEEDED,
    CallState.FAILED: Standing.FAILED,
    CallState.STOPPED: Standing.STOPPED,
}


async def read_timeline(wb: Workbench, thread_id: ThreadId) -> Timeline:
    """The timeline of a thread as it stands now."""
    spans = await wb.store.spans(thread_id)
    agents = {
        listing.definition.qualified_name: listing.definition
        for listing in wb.listings()
        if isinstance(listing.definition, AgentDefinition)
    }
    asked = (question.request_id for question in wb.models.questions())
    return timeline(spans, agents, frozenset(one for one in asked if one is not None))


def timeline(
    spans: Sequence[ThreadSpans],
    agents: Mapping[str, AgentDefinition],
    waiting: frozenset[RequestId] = frozenset(),
) -> Timeline:
    """Put together what threads did; the first is the one that is looked at, the others are below it.

    `waiting` are requests that a person is to answer.
    """
    people = _People(spans)
    groups: list[Group] = []
    for place, span in enumerate(spans):
        of_thread = _OfThread(span, agents.get(span.thread.agent), spans, waiting)
        made = list(of_thread.groups())
        if place == 0:
            groups = _with_people(made, people, span.thread, agents.get(span.thread.agent))
        else:
            at = _place_below(groups, span.thread.parent_id)
            groups[at:at] = made
    bars = [bar for group in groups for lane in group.lanes for bar in lane.bars]
    # Nothing goes on while a thread only waits for its person's next word.
    open_bars = [bar for bar in bars if bar.ended is None and (bar.work is not Work.PERSON or bar.id)]
    made_at = spans[0].thread.created_at if spans else 0
    began = min((bar.began for bar in bars if bar.work is not Work.PERSON), default=made_at)
    return Timeline(
        groups=tuple(groups),
        began=began,
        ended=max((bar.end(bar.began) for bar in bars), default=began),
        is_live=bool(open_bars),
        usage=total(request.usage for span in spans for request in span.requests),
        threads=len(spans),
    )


# --- one thread --------------------------------------------------------------------------------------------


class _OfThread:
    """The groups of one thread: its sides, and the sub-prompts of each."""

    def __init__(
        self,
        span: ThreadSpans,
        agent: AgentDefinition | None,
        all_spans: Sequence[ThreadSpans],
        waiting: frozenset[RequestId],
    ) -> None:
        self._span = span
        self._agent = agent
        self._waiting = waiting
        self._thread = span.thread
        self._is_child = span.thread.id != all_spans[0].thread.id
        self._depth = _depth(span.thread, all_spans)
        self._requests = _grouped(span.requests)
        self._numbers = numbers_of(span.requests)
        self._calls = self._calls_by_place()

    def groups(self) -> Iterator[Group]:
        for side in _SIDES:
            places = [place for place in self._places() if place.partition("/")[0] == side]
            own = next((place for place in places if place.count("/") <= 1), side)
            if self._is_child and not places:
                continue
            yield self._group(own, self._title(side, own), side.upper(), self._depth)
            for place in places:
                if place != own:
                    inside = max(place.count("/") - 1, 1) if own != side else place.count("/")
                    yield self._group(place, place.rpartition("/")[2], "", self._depth + inside)

    def _places(self) -> list[str]:
        """`a/desk`, `a/desk/policy_check`, …: outer ones before those inside, else by when they came."""
        seen = dict.fromkeys((*self._requests, *self._calls))
        return sorted(seen, key=lambda place: place.count("/"))

    def _title(self, side: SideName, place: str) -> str:
        prompt = place.partition("/")[2]
        backing = self._agent.side(side) if self._agent is not None else None
        label = backing.label if backing is not None else None
        if isinstance(backing, PromptSide) and prompt not in ("", backing.prompt):
            label = None  # another agent had the thread, until it handed it over
        if isinstance(backing, HumanSide):
            return label or "Person"
        if isinstance(backing, HandlerSide):
            prompt = backing.handler
        name = label or prompt or (backing.prompt if backing and not isinstance(backing, HandlerSide) else "")
        if not self._is_child:
            return name or f"Side {side.upper()}"
        child = self._thread.name or self._thread.relationship or self._thread.agent
        return f"{child}, {name}" if name and name != child else child

    def _group(self, place: str, title: str, side: str, depth: int) -> Group:
        requests = self._requests.get(place, [])
        lanes: list[Lane] = []
        if requests:
            bars = [_of_request(one, self._numbers[one.id], self._waiting) for one in requests]
            lanes += _lanes("Model", Work.MODEL, bars)
        calls = [bar for call in self._calls.get(place, []) if (bar := _of_call(call)) is not None]
        lanes += _lanes("Tools", Work.TOOL, calls)
        return Group(
            title=title,
            side=side,
            depth=depth,
            thread_id=self._thread.id,
            lanes=tuple(lanes),
            usage=total(request.usage for request in requests) if requests else None,
            note="thread below" if self._is_child and side else "",
        )

    def _calls_by_place(self) -> dict[str, list[CallSpan]]:
        """Calls by who made them: a model's request, the call that they came of, else a side."""
        of_request = {request.id: request.conversation for request in self._span.requests}
        of_call: dict[CallId, str] = {}
        found: dict[str, list[CallSpan]] = {}
        for call in self._span.calls:
            place = self._place_of(call, of_request, of_call)
            of_call[call.id] = place
            found.setdefault(place, []).append(call)
        return found

    def _place_of(
        self, call: CallSpan, of_request: Mapping[RequestId, str], of_call: Mapping[CallId, str]
    ) -> str:
        if call.request_id is not None and call.request_id in of_request:
            return of_request[call.request_id]
        if call.parent_call_id is not None and call.parent_call_id in of_call:
            return of_call[call.parent_call_id]
        side = call.side or "a"
        return next((place for place in self._requests if place.partition("/")[0] == side), side)


def _grouped(requests: Iterable[Request]) -> dict[str, list[Request]]:
    found: dict[str, list[Request]] = {}
    for request in requests:
        found.setdefault(request.conversation, []).append(request)
    return found


def _depth(thread: Thread, spans: Sequence[ThreadSpans]) -> int:
    """How far below the first of them."""
    parents = {span.thread.id: span.thread.parent_id for span in spans}
    depth, above = 0, thread.parent_id
    while above is not None and above in parents and thread.id != spans[0].thread.id:
        depth += 1
        above = parents[above] if above != spans[0].thread.id else None
    return depth


def _place_below(groups: Sequence[Group], parent_id: ThreadId | None) -> int:
    """Behind the first side of the parent and all that stands under it."""
    at = next((at for at, group in enumerate(groups) if group.thread_id == parent_id), len(groups) - 1)
    depth = groups[at].depth if groups else 0
    at += 1
    while at < len(groups) and groups[at].depth > depth:
        at += 1
    return at


# --- bars --------------------------------------------------------------------------------------------------


def _of_request(request: Request, number: int, waiting: frozenset[RequestId]) -> Bar:
    last = request.attempts[-1] if request.attempts else None
    running = request.state is RequestState.RUNNING
    ended = None if running else (last.ended_at if last and last.ended_at else request.created_at)
    by_person = last is not None and last.provider == Provider.HUMAN.value
    notes = ["answered by a person"] if by_person else [last.model] if last else []
    notes += ["your answer is awaited"] if request.id in waiting else []
    if len(request.attempts) > 1:
        notes.append(f"{len(request.attempts)} attempts")
    if request.usage is not None:
        notes.append(f"{request.usage.input_tokens + request.usage.output_tokens:,} tokens")
    if request.failure is not None:
        notes.append(request.failure.message)
    return Bar(
        work=Work.MODEL,
        standing=Standing.WAITING if request.id in waiting else _OF_REQUEST[request.state],
        began=request.created_at,
        ended=ended,
        label=str(number),
        id=request.id,
        thread_id=request.thread_id,
        note=", ".join(notes),
    )


def _of_call(call: CallSpan) -> Bar | None:
    """None for a call that has not begun: while it waits, that is what shows."""
    if call.started_at is None or call.state not in _OF_CALL:
        return None
    return Bar(
        work=Work.TOOL,
        standing=_OF_CALL[call.state],
        began=call.started_at,
        ended=None if call.state is CallState.RUNNING else call.finished_at or call.started_at,
        label=call.tool,
        id=call.id,
        thread_id=call.thread_id,
        note=call.failure.value.replace("_", " ") if call.failure else "",
    )


def _lanes(title: str, work: Work, bars: Iterable[Bar]) -> list[Lane]:
    """Bars spread over as few lanes as they need so that none lies over another."""
    rows: list[list[Bar]] = []
    ends: list[float] = []
    for bar in sorted(bars, key=lambda bar: bar.began):
        free = next((at for at, end in enumerate(ends) if end <= bar.began), len(rows))
        free = min(free, _MOST_ROWS - 1)
        if free == len(rows):
            rows.append([])
            ends.append(0)
        rows[free].append(bar)
        ends[free] = float("inf") if bar.ended is None else bar.ended
    return [Lane("" if at else title, work, tuple(row)) for at, row in enumerate(rows)]


# --- people ------------------------------------------------------------------------------------------------


class _People:
    """What the person was waited for, in all threads."""

    def __init__(self, spans: Sequence[ThreadSpans]) -> None:
        calls = {call.id: call for span in spans for call in span.calls}
        work = [call.created_at for call in calls.values()]
        work += [request.created_at for span in spans for request in span.requests]
        began = min(work, default=0)  # what a person was waited for before that is no part of the work
        self.bars = [
            self._bar(wait, span.thread, calls)
            for span in spans
            for wait in span.waits
            if wait.began >= began
        ]

    def _bar(self, wait: Wait, thread: Thread, calls: Mapping[CallId, CallSpan]) -> Bar:
        call = calls.get(wait.call_id) if wait.call_id is not None else None
        ended = wait.ended
        if ended is None and call is not None and call.state.is_final:
            ended = call.finished_at or wait.began
        tool = call.tool if call else ""
        words = {
            "approval": f"approve {tool}",
            "variable": f"set {', '.join(wait.names)} for {tool}",
            "person": "next message",
        }
        return Bar(
            work=Work.PERSON,
            standing=Standing.WAITING if ended is None else Standing.WAITED,
            began=wait.began,
            ended=ended,
            label=words[wait.kind],
            id=wait.call_id or "",
            thread_id=thread.id,
        )


def _with_people(
    groups: list[Group], people: _People, thread: Thread, agent: AgentDefinition | None
) -> list[Group]:
    """The person's lane: in the group of the side that is a person's, else in one of its own."""
    lanes = tuple(_lanes("Person", Work.PERSON, people.bars))
    sides = [side.upper() for side in _SIDES if agent and isinstance(agent.side(side), HumanSide)]
    for at, group in enumerate(groups):
        if group.side in sides:
            shown = lanes or (Lane("Person", Work.PERSON, ()),)
            return [*groups[:at], replace(group, lanes=(*group.lanes, *shown)), *groups[at + 1 :]]
    return [*groups, Group("Person", "", 0, thread.id, lanes)] if lanes else groups
