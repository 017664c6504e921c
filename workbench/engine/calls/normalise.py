"""Turning whatever a host answered into one result (D7, C16)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from difflib import get_close_matches
from typing import cast

from workbench.base.exact_json import JsonError, JsonObject, JsonValue, parse
from workbench.domain.calls import FailureKind, ToolFailure, ToolResult
from workbench.domain.definitions import Dialect
from workbench.engine.calls import record
from workbench.engine.calls.envelopes import Envelope, read_envelope
from workbench.engine.calls.running import BIG, RunningCall, fail
from workbench.engine.ports import Died, HostAnswer, Raised, Returned, Stopped, Unavailable
from workbench.engine.services import Services

_RAISED = {
    "invalid_arguments": FailureKind.INVALID_ARGUMENTS,
    "missing_variable": FailureKind.MISSING_VARIABLE,
}


async def normalise(services: Services, call: RunningCall) -> None:
    """Fill in `result`, or fail with the kind that fits."""
    answer = call.answer
    if isinstance(answer, (Returned, Raised)) and answer.left_behind:
        text = "".join(f"Ended after the call: {line}\n" for line in answer.left_behind)
        record.logged(services, call, "log", text)
    if not isinstance(answer, Returned):
        raise _failed(call, answer)
    if answer.shape == "envelope" and answer.json is not None:
        call.result, files = await _envelope(answer.json)
        call.answer = replace(answer, attachments=(*answer.attachments, *files))
    elif answer.shape == "json" and answer.json is not None:
        text = answer.json.decode()
        call.result = ToolResult(text=text, json_text=text)
        if call.tool.dialect is Dialect.STANDARD_AGENTS and (misspelt := _misspelt_status(answer.json)):
            said, meant = misspelt
            words = f"The result says “{said}” where a tool result says “{meant}”, so it was given as plain JSON.\n"
            record.logged(services, call, "log", words)
    else:
        call.result = _plain(answer)


def _misspelt_status(data: bytes) -> tuple[str, str] | None:
    """The word in a mapping that would be a tool result if it were spelled right, and that right word: either its key
    `status` or the value of that, where there is nothing else but what a tool result has (D7)."""
    if len(data) > BIG or not any(part in data for part in (b'"success"', b'"error"', b'"status"')):
        return None
    value = parse(data)
    others = value.keys() - _PARTS if isinstance(value, dict) else ()
    if len(others) != 1:
        return None
    (key,) = others
    status = cast(JsonObject, value)[key]
    if key == "status" and isinstance(status, str) and len(cast(JsonObject, value)) > 1:
        means = get_close_matches(status.lower(), _STATUSES, n=1, cutoff=_ALIKE)
        return (status, means[0]) if means else None
    if status in _STATUSES and get_close_matches(key.lower(), ["status"], cutoff=_ALIKE):
        return key, "status"
    return None


_PARTS = frozenset({"result", "error", "stack", "attachments"})
_STATUSES = ("success", "error")
_ALIKE = 0.72


def _plain(answer: Returned) -> ToolResult:
    text = answer.text.decode()
    if not answer.is_error:
        return ToolResult(text=text)
    failure = ToolFailure(kind=FailureKind.TOOL_ERROR, message=text or "The tool failed.", stack=answer.stack)
    return ToolResult(is_error=True, text=failure.message, failure=failure)


async def _envelope(data: bytes) -> Envelope:
    try:
        return read_envelope(data) if len(data) < BIG else await asyncio.to_thread(read_envelope, data)
    except JsonError as error:
        raise fail(FailureKind.TOOL_ERROR, f"The result cannot be read: {error.message}") from error


def _failed(call: RunningCall, answer: HostAnswer | None) -> Exception:
    if isinstance(answer, Raised):
        kind = _RAISED.get(answer.kind, FailureKind.TOOL_ERROR)
        words, hint = answer.message or answer.type, ""
        if kind is FailureKind.INVALID_ARGUMENTS:
            words, hint = f"The arguments do not fit {call.tool.name}:\n{words}", "Mend them and call again."
        elif call.record.attempts > 1:
            hint = f"It was tried {call.record.attempts} times."
        return fail(kind, words, hint=hint, stack=answer.stack)
    if isinstance(answer, Unavailable):
        return fail(FailureKind.HOST_UNAVAILABLE, answer.message, hint=answer.hint)
    ended = answer.ended if isinstance(answer, (Stopped, Died)) else ()
    if call.stop_kind is FailureKind.TIMED_OUT:
        limit = call.request.timeout or 0
        return fail(
            FailureKind.TIMED_OUT, f"The call took longer than its limit of {limit:g} s.", ended=ended
        )
    if isinstance(answer, Died) and call.stop_kind is None:
        return fail(
            FailureKind.CRASHED,
            f"The tool's process ended: {answer.reason}.",
            hint="The next call starts a fresh process.",
            stack=answer.stderr_tail,
            ended=ended,
        )
    return fail(FailureKind.CANCELLED, "The call was stopped.", ended=ended)


async def mask(services: Services, call: RunningCall) -> None:
    """Hide every secret in what is stored and shown (V6)."""
    call.result = await masked_result(services, call.result)


async def masked_result(services: Services, result: ToolResult) -> ToolResult:
    """The same result with every secret replaced by its mark; the same object when there is none."""
    masker = services.variables.masker
    if not masker:
        return result
    size = len(result.text) + len(result.json_text or "")
    if size < BIG:
        return _masked(services, result)
    return await asyncio.to_thread(_masked, services, result)


def _masked(services: Services, result: ToolResult) -> ToolResult:
    masker = services.variables.masker
    failure = result.failure
    if failure is not None:
        failure = failure.model_copy(
            update={
                "message": masker.mask(failure.message),
                "hint": masker.mask(failure.hint),
                "stack": masker.mask(failure.stack),
                "ended": tuple(masker.mask(line) for line in failure.ended),
            }
        )
    json_text = None if result.json_text is None else masker.mask_json_text(result.json_text)
    same = result.json_text == result.text
    return result.model_copy(
        update={
            "text": json_text if same else masker.mask(result.text),
            "json_text": json_text,
            "structured_content": masker.mask_json(cast(JsonValue, result.structured_content)),
            "content": tuple(masker.mask_json(cast(JsonValue, block)) for block in result.content),
            "failure": failure,
        }
    )
