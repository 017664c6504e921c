"""Required variables: a call with somebody to ask waits for them, any other fails and says where to set them (C5)."""

from __future__ import annotations

from workbench.domain.calls import CallState, FailureKind
from workbench.domain.definitions import VariableSpec
from workbench.domain.variables import Resolved, VariableType
from workbench.engine.calls import record
from workbench.engine.calls.running import RunningCall, fail
from workbench.engine.services import Services
from workbench.engine.variables import ENVIRONMENT_PREFIX
from workbench.schema import check_text


async def require_variables(services: Services, call: RunningCall) -> None:
    """Let the call go on only when every required variable has a value that passes its check (C5, V5)."""
    # Every readable secret is masked from here on, before the tool can print one (V6).
    await services.variables.refresh_masker()
    if not call.tool.variables:
        return
    generation = services.variables.generation
    missing = await _missing(services, call)
    if missing and call.request.person_attached:
        names = tuple(spec.name for spec, _ in missing)
        record.moved(services, call, CallState.WAITING_FOR_VARIABLE, waiting_for=names)
        await record.persist(services, call)
        while missing:
            await call.or_stop(services.variables.changed_since(generation))
            generation = services.variables.generation
            missing = await _missing(services, call)
    if missing:
        raise await _missing_failure(services, *missing[0])


async def _missing(services: Services, call: RunningCall) -> list[tuple[VariableSpec, Resolved]]:
    missing: list[tuple[VariableSpec, Resolved]] = []
    for spec in call.tool.variables:
        resolved = await services.variables.resolve(spec.name, call.layers, spec)
        if resolved.value is None:
            if spec.required:
                missing.append((spec, resolved))
        elif spec.check is not None:
            _check(spec, resolved.value)
    return missing


def _check(spec: VariableSpec, value: str) -> None:
    problem = check_text(spec.check or {}, value)
    if problem is not None:
        # The words never quote the value.
        raise fail(
            FailureKind.MISSING_VARIABLE,
            f"The variable {spec.name} has a value that its definition refuses: {problem}",
            hint=f"Set it again: workbench var set {spec.name}",
        )


async def _missing_failure(services: Services, spec: VariableSpec, found: Resolved) -> Exception:
    what = f" ({spec.description})" if spec.description else ""
    if found.scope is not None:
        state = await services.variables.vault_state()
        return fail(
            FailureKind.MISSING_VARIABLE,
            f"The {spec.type} variable {spec.name}{what} is set for the {found.scope}, but its value cannot be"
            f" read from the keyring. {state.message}",
            hint=state.hint or f"Set it again: workbench var set {spec.name}",
        )
    return fail(
        FailureKind.MISSING_VARIABLE,
        f"The {spec.type} variable {spec.name}{what} has no value.",
        hint=f"Set it in Variables, or run: workbench var set {spec.name}{_without_keyring(spec)}",
    )


def _without_keyring(spec: VariableSpec) -> str:
    if spec.type is not VariableType.SECRET:
        return ""
    return f"; without a keyring, start Workbench with {ENVIRONMENT_PREFIX}{spec.name} in its environment"
