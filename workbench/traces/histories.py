"""From a history to the spans of its traces: an agent's run, the requests and calls in it, the children's runs below.

A child's first run lies below the call that made the child, a later one below what its parent does when it begins; a
run that nothing began is a trace of its own. So is a call by hand, as from a form or over HTTP, also beside a run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Call, CallState, FailureKind, Origin
from workbench.domain.requests import Request, RequestState
from workbench.domain.spans import CallSpan, Run, ThreadSpans, Wait
from workbench.domain.threads import ThreadStatus
from workbench.traces import conventions
from workbench.traces.spans import Span, SpanEvent, span_id_of, trace_id_of

_OF_RUNS = frozenset({Origin.MODEL, Origin.REPLAY, Origin.QUEUE, Origin.INVOKE})
"""Who makes the calls of a run; a call of anybody else may pass beside one (C6)."""


def spans_of_threads(threads: Sequence[ThreadSpans]) -> list[Span]:
    """The spans of a thread and all below it (parents before children) that have ended, each thread's in its order."""
    placed: dict[ThreadId, _Thread] = {}
    found: list[Span] = []
    for history in threads:
        parent = placed.get(history.thread.parent_id) if history.thread.parent_id else None
        placed[history.thread.id] = one = _Thread(history, parent)
        found += one.spans()
    return found


def span_of_call(call: Call, *, root: CallId) -> Span | None:
    """The span of a call outside of any run; `root` is the outermost of the calls that made each other."""
    if call.finished_at is None:
        return None
    failure = call.result.failure if call.result else None
    return Span(
        trace_id=trace_id_of(root),
        span_id=span_id_of(call.id),
        parent_id=span_id_of(call.parent_call_id) if call.parent_call_id else None,
        name=f"execute_tool {call.tool}",
        began=call.created_at,
        ended=call.finished_at,
        attributes=conventions.of_call(call, failure.kind if failure else None),
        error=failure.message if failure else _words_of(None, call.state),
        call=call.id,
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where something is: in which trace, under which id, below which span."""

    trace_id: int
    span_id: int
    parent_id: int | None


class _Thread:
    def __init__(self, history: ThreadSpans, parent: _Thread | None) -> None:
        self._history = history
        self._parent = parent
        self._calls = {call.id: call for call in history.calls}
        self._requests = {request.id: request for request in history.requests}
        self._waits: dict[CallId | None, list[Wait]] = {}
        for wait in history.waits:
            self._waits.setdefault(wait.call_id, []).append(wait)
        self._begans = [run.began for run in history.runs]
        self._places = [self._place_of_run(number) for number in range(len(history.runs))]

    def spans(self) -> Iterator[Span]:
        asked: dict[int | None, list[Request]] = {}
        for request in self._history.requests:
            number = self._run_of(request.created_at, request.parent_call_id)
            asked.setdefault(number, []).append(request)
        for number, run in enumerate(self._history.runs):
            if run.ended is not None:
                yield self._span_of_run(run, self._places[number], asked.get(number, ()))
        for request in self._history.requests:
            if request.state is not RequestState.RUNNING:
                yield self._span_of_request(request)
        for call in self._history.calls:
            if call.ended_at is not None:
                yield self._span_of_call(call)

    # --- places

    def _place_of_run(self, number: int) -> _Place:
        thread, run = self._history.thread, self._history.runs[number]
        name = f"{thread.id} {run.began}"
        made_by = thread.made_by if number == 0 else None
        above = self._parent.beginner(run.began, made_by) if self._parent else None
        trace_id = above.trace_id if above else trace_id_of(name)
        return _Place(trace_id, span_id_of(name), above.span_id if above else None)

    def beginner(self, at: int, made_by: CallId | None) -> _Place | None:
        """What of this thread began a child's run then: a call, else the run; None when it was at rest."""
        caller = self._calls.get(made_by) if made_by else None
        if caller is None:
            under_way = [call for call in self._history.calls if _runs(call, at) and self._is_of_run(call.id)]
            caller = max(under_way, key=lambda call: call.started_at or 0, default=None)
        if caller is None:
            number = self._run_of(at, None)
            return None if number is None else self._places[number]
        return self._place_of_call(caller)

    def _run_of(self, at: int, caller: CallId | None) -> int | None:
        """The number of the run that something belongs to which began then, made by this call."""
        if caller is not None and not self._is_of_run(caller):
            return None
        number = bisect_right(self._begans, at) - 1
        return number if number >= 0 and at <= (self._history.runs[number].ended or at) else None

    def _is_of_run(self, call_id: CallId) -> bool:
        call = self._calls.get(self._outermost(call_id))
        return call is None or call.origin in _OF_RUNS

    def _place_of_call(self, call: CallSpan) -> _Place:
        caller = self._caller(call)
        if caller is None and call.origin not in _OF_RUNS:
            return _Place(trace_id_of(call.id), span_id_of(call.id), None)
        return self._below(call.created_at, caller, call.id)

    def _below(self, at: int, caller: CallId | None, own: str) -> _Place:
        """The place of what began then: below the call that made it, else below the run, else a trace of its own."""
        number = self._run_of(at, caller)
        if number is not None:
            run = self._places[number]
            return _Place(run.trace_id, span_id_of(own), span_id_of(caller) if caller else run.span_id)
        first = self._outermost(caller) if caller else own
        return _Place(trace_id_of(first), span_id_of(own), span_id_of(caller) if caller else None)

    def _outermost(self, call_id: CallId) -> CallId:
        while (call := self._calls.get(call_id)) is not None and (caller := self._caller(call)) is not None:
            call_id = caller
        return call_id

    def _caller(self, call: CallSpan) -> CallId | None:
        """The call that made this one, if need be through a prompt that it ran."""
        asked = self._requests.get(call.request_id) if call.request_id else None
        return call.parent_call_id or (asked.parent_call_id if asked else None)

    # --- spans

    def _span_of_run(self, run: Run, place: _Place, requests: Sequence[Request]) -> Span:
        thread = self._history.thread
        own = [request.id for request in requests if request.parent_call_id is None]
        return Span(
            trace_id=place.trace_id,
            span_id=place.span_id,
            parent_id=place.parent_id,
            name=f"invoke_agent {run.agent or thread.agent}",
            began=run.began,
            ended=run.ended or run.began,
            attributes=conventions.of_run(thread, run, requests),
            error=run.status_text or "The thread failed." if run.status is ThreadStatus.FAILED else None,
            asked=own[0] if own else None,
            answered=own[-1] if own else None,
        )

    def _span_of_request(self, request: Request) -> Span:
        place = self._below(request.created_at, request.parent_call_id, request.id)
        last = request.attempts[-1] if request.attempts else None
        model = f" {last.model_id}" if last else ""
        return Span(
            trace_id=place.trace_id,
            span_id=place.span_id,
            parent_id=place.parent_id,
            name=f"chat{model}",
            began=request.created_at,
            ended=(last.ended_at if last else None) or request.created_at,
            attributes=conventions.of_request(request),
            kind="client",
            error=request.failure.message if request.failure else None,
            events=tuple(_failed_attempts(request)),
            asked=request.id,
            answered=request.id,
        )

    def _span_of_call(self, call: CallSpan) -> Span:
        place = self._place_of_call(call)
        return Span(
            trace_id=place.trace_id,
            span_id=place.span_id,
            parent_id=place.parent_id,
            name=f"execute_tool {call.tool}",
            began=call.created_at,
            ended=call.ended_at or call.created_at,
            attributes=conventions.of_call(call, call.failure),
            error=_words_of(call.failure, call.state),
            events=tuple(_event_of(wait) for wait in self._waits.get(call.id, ())),
            call=call.id,
        )


def _runs(call: CallSpan, at: int) -> bool:
    """Whether it ran then; one that waited for its turn began nothing."""
    return call.started_at is not None and call.started_at <= at <= (call.ended_at or at)


def _words_of(failure: FailureKind | None, state: CallState) -> str | None:
    if failure is not None:
        return failure.value.replace("_", " ")
    return None if state is CallState.SUCCEEDED else "The tool gave an error."


def _event_of(wait: Wait) -> SpanEvent:
    attributes: dict[str, str | float | tuple[str, ...]] = {}
    if wait.names:
        attributes["workbench.wait.names"] = wait.names
    if wait.ended is not None:
        attributes["workbench.wait.seconds"] = (wait.ended - wait.began) / 1e6
    return SpanEvent(f"workbench.waits_for_{wait.kind}", wait.began, attributes)


def _failed_attempts(request: Request) -> Iterator[SpanEvent]:
    for attempt in request.attempts:
        if attempt.failure is not None:
            said = {
                "error.type": attempt.failure.kind.value,
                "gen_ai.request.model": attempt.model_id,
                "workbench.message": attempt.failure.message,
            }
            yield SpanEvent("workbench.attempt_failed", attempt.ended_at or attempt.started_at, said)
