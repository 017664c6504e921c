"""Time bounds: no argument that is a bound in time may lie behind the instant of its thread, or of its call (C11)."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.exact_json import JsonValue
from workbench.base.instants import read_instant
from workbench.domain.calls import ArgumentError, FailureKind
from workbench.engine.calls.running import RunningCall, fail
from workbench.engine.services import Services


async def bound_time(services: Services, call: RunningCall) -> None:
    """Fail with `time_bound` and everything that is missing, relative or too late."""
    del services
    check_time(call, call.value)


def check_time(call: RunningCall, value: Mapping[str, JsonValue]) -> None:
    """Raise CallFailed when an argument goes beyond the call's instant; without one there are no bounds."""
    as_of = call.thread.as_of or call.request.as_of
    if as_of is None:
        return
    words = {name: _why_refused(name, value, as_of) for name in call.tool.time_args}
    errors = [
        ArgumentError(path=f"/{name}", rule="timeArgs", message=why) for name, why in words.items() if why
    ]
    if errors:
        raise fail(
            FailureKind.TIME_BOUND,
            "\n".join(error.message for error in errors),
            hint=f"This session sees the world as of {as_of}: name instants up to it,"
            " such as 2026-03-01T12:00:00Z.",
            errors=errors,
        )


def _why_refused(name: str, value: Mapping[str, JsonValue], as_of: str) -> str:
    given = value.get(name)
    if given is None:
        return f"{name} is missing: a call of this session must say it."
    instant = read_instant(given) if isinstance(given, str) else None
    if instant is None:
        return f"{name} is no absolute ISO 8601 instant with a time zone."
    bound = read_instant(as_of)
    if bound is None or instant > bound:
        return f"{name} is later than {as_of}."
    return ""
