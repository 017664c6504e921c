"""From a history to the spans of its traces: an agent's run, the requests and calls in it, the children's runs below.

A run of a thread is a trace of its own, unless its parent was at work when it began: then it lies below the call of
the parent that began it. A call outside of any run, as from a form or over HTTP, is a trace of its own, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.base.ids import CallId, ThreadId
from workbench.domain.calls import Call, FailureKind
from workbench.domain.requests import Request, RequestState
from workbench.domain.spans import CallSpan, Run, ThreadSpans, Wait
from workbench.domain.threads import ThreadStatus
from workbench.traces import conventions
from workbench.traces.spans import Span, SpanEvent, span_id_of, trace_id_of


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
        error=failure.message if failure else _words_of(None, is_error=call.is_error),
        call=call.id,
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where something hangs: in which trace, below which span."""

    trace_id: int
    span_id: int


class _Thread:
    def __init__(self, history: ThreadSpans, parent: _Thread | None) -> None:
        self._history = history
        self._parent = parent
        self._calls = {call.id: call for call in history.calls}
        self._requests = {request.id: request for request in history.requests}
        self._runs = [(run, self._place_of_run(run)) for run in history.runs]

    def spans(self) -> Iterator[Span]:
        for run, place in self._runs:
            if run.ended is not None:
                yield self._span_of_run(run, place)
        for request in self._history.requests:
            if request.state is not RequestState.RUNNING:
                yield self._span_of_request(request)
        for call in self._history.calls:
            if call.finished_at is not None:
                yield self._span_of_call(call)

    # --- places

    def _place_of_run(self, run: Run) -> _Place:
        name = f"{self._history.thread.id} {run.began}"
        above = self._parent.at_work(run.began) if self._parent else None
        return _Place(above.trace_id if above else trace_id_of(name), span_id_of(name))

    def at_work(self, at: int) -> _Place | None:
        """What of this thread was under way then: the innermost call, else the run; None when it was at rest."""
        place = self._run_at(at)
        under_way = [
            call for call in self._history.calls if call.created_at <= at <= (call.finished_at or at)
        ]
        if place is None or not under_way:
            return place
        return _Place(place.trace_id, span_id_of(max(under_way, key=lambda call: call.created_at).id))

    def _run_at(self, at: int) -> _Place | None:
        return next((place for run, place in self._runs if run.began <= at <= (run.ended or at)), None)

    def _above(self, at: int, caller: CallId | None, own: str) -> tuple[int, int | None]:
        """The trace of what began then, and the span above it: that of the call that made it, else the run."""
        run = self._run_at(at)
        if caller is not None:
            return run.trace_id if run else trace_id_of(self._outermost(caller)), span_id_of(caller)
        return (run.trace_id, run.span_id) if run else (trace_id_of(own), None)

    def _outermost(self, call_id: CallId) -> CallId:
        while (call := self._calls.get(call_id)) is not None and call.parent_call_id is not None:
            call_id = call.parent_call_id
        return call_id

    # --- spans

    def _span_of_run(self, run: Run, place: _Place) -> Span:
        thread, ended = self._history.thread, run.ended or run.began
        requests = [one for one in self._history.requests if run.began <= one.created_at <= ended]
        above = self._parent.at_work(run.began) if self._parent else None
        return Span(
            trace_id=place.trace_id,
            span_id=place.span_id,
            parent_id=above.span_id if above else None,
            name=f"invoke_agent {run.agent or thread.agent}",
            began=run.began,
            ended=ended,
            attributes=conventions.of_run(thread, run, requests),
            error=run.status_text or "The thread failed." if run.status is ThreadStatus.FAILED else None,
            events=tuple(_event_of(wait) for wait in self._history.waits if _lies_in(wait, run)),
            asked=requests[0].id if requests else None,
            answered=requests[-1].id if requests else None,
        )

    def _span_of_request(self, request: Request) -> Span:
        trace_id, parent_id = self._above(request.created_at, request.parent_call_id, request.id)
        last = request.attempts[-1] if request.attempts else None
        model = f" {last.model_id}" if last else ""
        return Span(
            trace_id=trace_id,
            span_id=span_id_of(request.id),
            parent_id=parent_id,
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
        asked = self._requests.get(call.request_id) if call.request_id else None
        caller = call.parent_call_id or (asked.parent_call_id if asked else None)
        trace_id, parent_id = self._above(call.created_at, caller, call.id)
        return Span(
            trace_id=trace_id,
            span_id=span_id_of(call.id),
            parent_id=parent_id,
            name=f"execute_tool {call.tool}",
            began=call.created_at,
            ended=call.finished_at or call.created_at,
            attributes=conventions.of_call(call, call.failure),
            error=_words_of(call.failure, is_error=call.state.is_final and call.failure is not None),
            events=tuple(_event_of(wait) for wait in self._history.waits if wait.call_id == call.id),
            call=call.id,
        )


def _words_of(failure: FailureKind | None, *, is_error: bool) -> str | None:
    if failure is not None:
        return failure.value.replace("_", " ")
    return "The tool gave an error." if is_error else None


def _lies_in(wait: Wait, run: Run) -> bool:
    return wait.call_id is None and run.began <= wait.began < (run.ended or wait.began)


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
