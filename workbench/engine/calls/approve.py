"""Approval: a call that needs a yes waits for it, or says that nobody can give one (C12)."""

from __future__ import annotations

import asyncio

from workbench.base.errors import UserError
from workbench.base.exact_json import dump
from workbench.base.masker import marked_names
from workbench.domain.calls import CallState, Decision, FailureKind, Origin
from workbench.engine.approvals import Verdict
from workbench.engine.calls import record
from workbench.engine.calls.callers import masked
from workbench.engine.calls.parse import read_arguments, take_arguments
from workbench.engine.calls.run import limited
from workbench.engine.calls.running import BIG, CallFailed, RunningCall, fail
from workbench.engine.calls.time_bounds import check_time
from workbench.engine.calls.validate import check_arguments
from workbench.engine.catalog.fields import spelled
from workbench.engine.ports import HostAnswer, Returned
from workbench.engine.services import Services

_BEFOREHAND = {Origin.HTTP: '"approve": true', Origin.PYTHON: "approve=True"}
"""How a caller says it; the commands all say `--approve`."""


async def approve(services: Services, call: RunningCall) -> None:
    """Go on, wait for a person, or fail with `approval_required` or `rejected`."""
    reason = await _why_asked(services, call)
    if reason is None:
        return
    if call.request.approve:
        by = masked(services, call.request.auth)
        decision = Decision(
            verdict="approved", by=by.principal, attributes=by.attributes, reason="approved beforehand"
        )
        record.decided(services, call, decision)
        return
    if not call.request.person_attached:
        how = _BEFOREHAND.get(call.request.origin, "--approve")
        raise fail(
            FailureKind.APPROVAL_REQUIRED,
            f"{call.tool.name} needs an approval and nobody is here to give it ({reason}).",
            hint=f"Approve beforehand with {how}, or run it in the window.",
        )
    with services.approvals.asking(call.id, lambda text: _check_edit(services, call, text), reason) as answer:
        record.moved(services, call, CallState.WAITING_FOR_APPROVAL, why=reason)
        await record.persist(services, call)
        verdict = await call.or_stop(answer)
    await _apply(services, call, verdict)


async def _why_asked(services: Services, call: RunningCall) -> str | None:
    rule = services.approvals.breaking(call.tool.name, call.value)
    if rule is not None:
        return rule.words()
    needs = call.tool.needs_approval
    if needs == "predicate":
        host = services.hosts[call.tool.file.language]
        with limited(services, call):
            answer = await call.or_stop(host.evaluate(call.tool.file, "needsApproval", call.arguments))
        return (
            None if _says_no(answer) else f"its {spelled('needsApproval', call.tool.file.language)} says so"
        )
    return "the tool declares it" if needs else None


def _says_no(answer: HostAnswer) -> bool:
    """Only a plain no vouches for the call; a predicate that fails or says anything else does not."""
    if not isinstance(answer, Returned):
        return False
    return answer.shape == "none" or (answer.shape == "json" and answer.json in (b"false", b"0", b"null"))


def _check_edit(services: Services, call: RunningCall, text: bytes) -> None:
    try:
        value = read_arguments(call.tool, text)
        check_arguments(services, call.tool, value)
        check_time(call, value)
    except CallFailed as error:
        raise UserError(error.failure.message, hint=error.failure.hint) from error


async def _apply(services: Services, call: RunningCall, verdict: Verdict) -> None:
    mask = services.variables.masker.mask
    edited = verdict.arguments if verdict.approved and await _is_edited(call, verdict.arguments) else None
    word = "rejected" if not verdict.approved else "edited" if edited is not None else "approved"
    decision = Decision(verdict=word, by=verdict.by, reason=mask(verdict.reason))
    record.decided(services, call, decision)
    if not verdict.approved:
        why = f": {verdict.reason}" if verdict.reason else "."
        raise fail(FailureKind.REJECTED, f"The call was rejected{why}")
    if edited is not None:
        # A person edits what was shown, marks included; a mark that the caller itself wrote stays text.
        hidden = marked_names(call.record.arguments) - marked_names(call.request.arguments.decode())
        await take_arguments(services, call, edited, hidden)


async def _is_edited(call: RunningCall, text: bytes | None) -> bool:
    """Whether the text says another thing than what was shown; how it is laid out does not count."""
    if text is None:
        return False

    def differs() -> bool:
        shown = call.record.arguments.encode()
        return dump(read_arguments(call.tool, text)) != dump(read_arguments(call.tool, shown))

    return await asyncio.to_thread(differs) if len(text) >= BIG else differs()
