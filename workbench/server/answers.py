"""What a caller is answered: JSON, and for every refusal one code with its status (H1)."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from workbench.base.exact_json import dump

STATUS: Mapping[str, int] = {
    "unknown_tool": 404,
    "tool_not_callable": 400,
    "invalid_tool_input": 400,
    "invalid_continuation_token": 400,
    "session_not_found": 404,
    "session_busy": 409,
    "workspace_unavailable": 500,
    # What the protocol itself asks for.
    "invalid_request": 400,
    "unauthorized": 401,
    "forbidden_host": 403,
    "forbidden_origin": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "request_timeout": 408,
    "body_too_large": 413,
    "unsupported_media_type": 415,
    "internal_error": 500,
    "unavailable": 503,
}


class Refused(Exception):
    """A request that is not served; `code` is one of STATUS."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def answered(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """JSON text as it is."""
    return Response(text.encode(), status, headers, "application/json")


def refused(code: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """`{ok: false, error: {code, message}}` with the code's status."""
    return answered(dump({"ok": False, "error": {"code": code, "message": message}}), STATUS[code], headers)
