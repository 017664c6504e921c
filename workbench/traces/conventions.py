"""The attributes of runs, requests and calls, by OpenTelemetry's semantic conventions for generative AI."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from workbench.domain.calls import Call, CallState, FailureKind
from workbench.domain.model_answers import FinishReason, Usage
from workbench.domain.models import Provider
from workbench.domain.requests import Request, RequestState
from workbench.domain.spans import CallSpan, Run
from workbench.domain.threads import Thread, ThreadStatus
from workbench.traces.spans import Attribute

# What the conventions have no word for stands under `workbench.`.

_PROVIDERS: Mapping[str, str] = {
    Provider.GOOGLE.value: "gcp.gemini",
    Provider.SCRIPTED.value: "workbench.scripted",
    Provider.HUMAN.value: "workbench.human",
}
"""Where the conventions' name is not our own."""
_REASONS = {FinishReason.TOOL_CALLS: "tool_call"}


def of_run(thread: Thread, run: Run, requests: Sequence[Request]) -> dict[str, Attribute]:
    """An agent at work from one rest to the next; tokens are those of its own requests."""
    found: dict[str, Attribute] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": run.agent or thread.agent,
        "gen_ai.conversation.id": thread.id,
        "workbench.thread.status": (run.status or ThreadStatus.RUNNING).value,
    }
    providers = [attempt.provider for request in requests for attempt in request.attempts]
    if providers:
        found["gen_ai.provider.name"] = _PROVIDERS.get(providers[-1], providers[-1])
    if run.status is ThreadStatus.FAILED:
        found["error.type"] = "failed"
    return found | _usage(request.usage for request in requests)


def of_request(request: Request) -> dict[str, Attribute]:
    """A model that is asked once."""
    found: dict[str, Attribute] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": request.thread_id,
        "gen_ai.prompt.name": request.prompt,
        "workbench.request.id": request.id,
        "workbench.request.step": request.step,
        "workbench.request.side": request.side,
    }
    if request.attempts:
        last = request.attempts[-1]
        found["gen_ai.provider.name"] = _PROVIDERS.get(last.provider, last.provider)
        found["gen_ai.request.model"] = last.model_id
        found["gen_ai.request.stream"] = True
        if last.first_delta_at is not None:
            found["gen_ai.response.time_to_first_chunk"] = (last.first_delta_at - last.started_at) / 1e6
    if request.reason is not None:
        found["gen_ai.response.finish_reasons"] = (finish_reason(request.reason),)
    if request.state is not RequestState.ANSWERED:
        found["error.type"] = request.failure.kind.value if request.failure else request.state.value
    return found | _usage([request.usage])


def of_call(call: CallSpan | Call, failure: FailureKind | None) -> dict[str, Attribute]:
    """A tool that runs once."""
    found: dict[str, Attribute] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.tool,
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.type": "function",
        "gen_ai.conversation.id": call.thread_id,
        "workbench.call.origin": call.origin.value,
    }
    if call.state is not CallState.SUCCEEDED:
        found["error.type"] = failure.value if failure else call.state.value
    return found


def finish_reason(reason: FinishReason) -> str:
    """Why a model ended, in the conventions' words."""
    return _REASONS.get(reason, reason.value)


def _usage(usages: Iterable[Usage | None]) -> dict[str, Attribute]:
    known = [usage for usage in usages if usage is not None]
    if not known:
        return {}
    found: dict[str, Attribute] = {
        "gen_ai.usage.input_tokens": sum(usage.input_tokens for usage in known),
        "gen_ai.usage.output_tokens": sum(usage.output_tokens for usage in known),
    }
    if cached := sum(usage.cached_tokens for usage in known):
        found["gen_ai.usage.cache_read.input_tokens"] = cached
    if reasoned := sum(usage.reasoning_tokens for usage in known):
        found["gen_ai.usage.reasoning.output_tokens"] = reasoned
    costs = [usage.cost for usage in known if usage.cost is not None]
    if costs:
        found["workbench.usage.cost_usd"] = float(sum(costs))
    return found
