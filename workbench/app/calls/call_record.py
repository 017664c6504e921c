"""The record that a served call gives, and the refusals with their published codes (H1-H3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, JsonValue, dump, parse
from workbench.domain.auth import Auth
from workbench.domain.calls import Call, FailureKind, ToolFailure, ToolResult

_REFUSALS = {
    FailureKind.UNKNOWN_TOOL: "unknown_tool",
    FailureKind.INVALID_ARGUMENTS: "invalid_tool_input",
}


class CallRefused(UserError):
    """The call was not served. `code` is the published one (`unknown_tool`, `tool_not_callable`,
    `invalid_tool_input`, `session_not_found`, `invalid_continuation_token`, `session_busy`,
    `workspace_unavailable`); `available` are the names that can be called, for `unknown_tool`."""

    def __init__(self, code: str, message: str, *, hint: str = "", available: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.available = available

    def to_json(self) -> dict[str, object]:
        """`{ok: false, error: {code, message}}` (H1)."""
        words = f"{self.message} {self.hint}".strip()
        answer: dict[str, object] = {"ok": False, "error": {"code": self.code, "message": words}}
        if self.code == "unknown_tool":
            answer["availableTools"] = list(self.available)
        return answer


@dataclass(frozen=True, slots=True)
class CallRecord:
    """What a direct call gave. `result` is the JSON value that the tool returned, its text, or the error's text."""

    tool_name: str
    call_id: str
    is_error: bool
    duration_ms: int
    failure: ToolFailure | None
    result_json: str
    """The result as exact JSON text."""
    scratch_workspace: bool = False
    """It ran in a folder of its own, since that of its session could not be made."""

    @property
    def result(self) -> JsonValue:
        """The result as a value. Raises JsonError for one that nests deeper than 512 levels or holds a number of
        more than 4,300 digits; `result_json` has it all the same."""
        return parse(self.result_json)

    def to_json_text(self) -> str:
        """The record of H1 on one line, numbers exact."""
        head = dump(
            {"ok": True, "toolName": self.tool_name, "callId": self.call_id, "isError": self.is_error}
        )
        scratch = ',"scratchWorkspace":true' if self.scratch_workspace else ""
        return f'{head[:-1]},"result":{self.result_json},"durationMs":{self.duration_ms}{scratch}}}'


def record_of(
    call: Call, available: Callable[[], tuple[str, ...]], *, scratch_workspace: bool = False
) -> CallRecord:
    """The record of an ended call; raises CallRefused when it never came to run, with what is `available`."""
    result = call.result or ToolResult()
    failure = result.failure
    if failure is not None and failure.kind in _REFUSALS:
        raise CallRefused(_REFUSALS[failure.kind], failure.message, hint=failure.hint, available=available())
    return CallRecord(
        tool_name=call.tool,
        call_id=call.id,
        is_error=result.is_error,
        duration_ms=call.duration_ms or 0,
        failure=failure,
        result_json=result_json(result),
        scratch_workspace=scratch_workspace,
    )


def result_json(result: ToolResult) -> str:
    """What a record says of a result, as JSON text: the value that the tool returned, its text, or the error's text."""
    if result.json_text is not None and not result.is_error:
        return result.json_text
    return dump(result.text)


def as_auth(principal: str, attributes: Mapping[str, object] | None) -> Auth:
    """A caller. Raises UserError when it has no name, or attributes that are no JSON."""
    if not principal:
        raise UserError("A principal has a name.", hint="Leave it out to be the person at this machine.")
    if not attributes:
        return Auth(principal=principal)
    given = dict(attributes)
    try:
        dump(given)
    except JsonError as error:
        raise UserError(f"The attributes of {principal} are no JSON: {error.message}.") from error
    return Auth(principal=principal, attributes=given)


def as_arguments(value: Mapping[str, object] | bytes | str) -> bytes:
    """Arguments as JSON text."""
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else dump(dict(value))).encode()
