"""The JSON that programs get, spelled out in one place: the rows of the lists (H5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.base import exact_json
from workbench.domain.calls import Call
from workbench.domain.definitions import DefinitionKind, Diagnostic
from workbench.domain.effects import EffectRun
from workbench.domain.listing import Listing
from workbench.domain.pages import CallSummary, ThreadSummary, ThreadTotals
from workbench.domain.threads import Thread

if TYPE_CHECKING:
    from workbench.app import VariableLine


def listing_row(listing: Listing) -> dict[str, object]:
    """One definition of `tool list` and `definitions`; `effect` is null for what is no tool."""
    return {
        "name": listing.name,
        "kind": listing.file.kind,
        "dialect": listing.file.dialect,
        "path": listing.file.path,
        "description": listing.description,
        "effect": _effect(listing),
        "diagnostics": [diagnostic.code for diagnostic in listing.diagnostics],
        "callable": listing.callable and not (listing.tool and listing.tool.script is not None),
    }


def _effect(listing: Listing) -> str | None:
    if listing.file.kind is not DefinitionKind.TOOL:
        return None
    return listing.tool.effect if listing.tool else "write"


def diagnostic_row(diagnostic: Diagnostic) -> dict[str, object]:
    """One finding of `check`."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "path": diagnostic.path,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "name": diagnostic.name,
    }


def call_row(call: CallSummary) -> dict[str, object]:
    """One call of `call list` and `call search`; `startedAt` in microseconds since the epoch."""
    return {
        "callId": call.id,
        "toolName": call.tool,
        "origin": call.origin,
        "state": call.state,
        "isError": call.is_error,
        "startedAt": call.started_at,
        "durationMs": call.duration_ms,
        "threadId": call.thread_id,
    }


def call_document(call: Call) -> dict[str, object]:
    """The call of `call show`, whole: named as in the lists, times in microseconds since the epoch."""
    fields = call.to_json()
    return {"callId": fields.pop("id"), "toolName": fields.pop("tool"), **fields}


def thread_row(thread: ThreadSummary) -> dict[str, object]:
    """One thread of `thread list`; `waits` and `waitsBelow` tell of the call that waits for a person, of its own and
    of a thread below. Times in microseconds since the epoch."""
    return {
        "threadId": thread.id,
        "agent": thread.agent,
        "name": thread.name,
        "status": thread.status,
        "statusText": thread.status_text,
        "waits": thread.waits,
        "waitsBelow": thread.waits_below and thread.waits_below.to_json(),
        "parentId": thread.parent_id,
        "forkedFrom": thread.forked_from and thread.forked_from.to_json(),
        "children": thread.children,
        "createdAt": thread.created_at,
        "updatedAt": thread.updated_at,
        "tags": list(thread.tags),
        "words": thread.words,
    }


def thread_record(thread: Thread, answer: str, totals: ThreadTotals) -> dict[str, object]:
    """What `thread start`, `send` and `continue` end with; `answer` is what the agent said last."""
    return {
        "threadId": thread.id,
        "agent": thread.agent,
        "status": thread.status,
        "statusText": thread.status_text,
        "forkedFrom": thread.forked_from and thread.forked_from.to_json(),
        "answer": answer,
        "totals": totals_row(totals),
    }


def effect_row(effect: EffectRun) -> dict[str, object]:
    """One effect of `effect list`, and what the other commands of effects end with; times in microseconds."""
    return {
        "effectId": effect.id,
        "threadId": effect.thread_id,
        "name": effect.name,
        "args": exact_json.parse(effect.arguments),
        "state": effect.state,
        "createdAt": effect.created_at,
        "scheduledAt": effect.due_at,
        "startedAt": effect.started_at,
        "completedAt": effect.completed_at,
        "attempts": effect.attempts,
        "error": effect.error or None,
        "log": effect.log,
        "manualRunAt": effect.by_hand_at,
        "replayOf": effect.replay_of,
    }


def totals_row(totals: ThreadTotals) -> dict[str, object]:
    """Of a thread and all below it; `cost` in US dollars, null where no price is known."""
    usage = totals.usage
    return {
        "threads": totals.threads,
        "requests": totals.requests,
        "calls": totals.calls,
        "failedCalls": totals.failed_calls,
        "inputTokens": usage.input_tokens,
        "outputTokens": usage.output_tokens,
        "cost": usage.cost,
    }


def variable_row(line: VariableLine) -> dict[str, object]:
    """One line of `var list`; no value, so that no secret can slip through."""
    return {
        "name": line.name,
        "type": line.type,
        "scope": line.scope,
        "set": line.is_set,
        "usedBy": list(line.used_by),
    }
