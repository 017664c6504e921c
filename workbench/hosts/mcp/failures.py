"""What went wrong with a server, in words that a person can act on."""

from __future__ import annotations

from typing import cast

import httpx2
import mcp_types
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from workbench.base.errors import RunError
from workbench.base.sentences import sentence

TRANSIENT = frozenset({408, 425, 429})
"""HTTP refusals, beside all of 500 and above, after which another try may succeed (C9)."""


def trouble(error: BaseException, why_it_ended: str = "") -> RunError:
    """Any exception of the client library as one of ours. `why_it_ended` says what became of the server's process."""
    error = _innermost(error)
    if isinstance(error, RunError):
        return error
    if why_it_ended:
        return RunError(f"The server has gone: {why_it_ended}.", hint="Its log may say why.")
    status = http_status(error)
    if status is not None:
        return RunError(f"The server refused: {error}.", hint=_HINTS.get(status, ""))
    if isinstance(error, MCPError):
        if error.code == mcp_types.CONNECTION_CLOSED:
            return RunError("The server closed the connection.", hint="Its log may say why.")
        return RunError(f"The server answered with an error: {sentence(error.message)}")
    if isinstance(error, httpx2.ConnectError):
        return RunError(
            f"Nothing answers there: {error}.", hint="Is the server running, and is the url right?"
        )
    if isinstance(error, httpx2.HTTPError):
        return RunError(f"The connection broke: {error or type(error).__name__}.")
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return RunError(f"The server's answer is not what the protocol says: {where}: {first['msg']}.")
    return RunError(f"The server cannot be used: {error or type(error).__name__}.")


_HINTS = {
    401: "Is the variable set that its headers name, and is its value right?",
    403: "Is the variable set that its headers name, and is its value right?",
    404: "Is the path of its url right?",
    405: "Is the path of its url right?",
}


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


def http_status(error: BaseException) -> int | None:
    """The status of a refusal that came as a plain HTTP response."""
    if isinstance(error, MCPError) and isinstance(error.data, dict):
        status = cast("dict[str, object]", error.data).get("httpStatus")
        return status if isinstance(status, int) else None
    return None


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed when it is tried again (C9)."""
    status = http_status(error)
    if status is not None:
        return status in TRANSIENT or status >= 500
    return is_lost(error) or isinstance(error, (httpx2.TimeoutException, httpx2.NetworkError))


def is_lost(error: BaseException) -> bool:
    """Whether the session is gone, so that a call needs another one."""
    if isinstance(error, MCPError):
        return error.code == mcp_types.CONNECTION_CLOSED
    return isinstance(error, httpx2.TransportError)


def is_forgotten(error: BaseException) -> bool:
    """Whether the server does not know the session any more; then it did nothing of what was asked."""
    return http_status(error) == 404
