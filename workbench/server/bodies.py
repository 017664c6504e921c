"""Reading a request's body: bounded in size and in time, whatever the client does."""

from __future__ import annotations

from starlette.requests import Request

from workbench.server.answers import Refused
from workbench.server.work import UnderWay

MOST_BYTES = 32 * 1024 * 1024
"""The largest body that is taken."""
SECONDS = 30.0
"""How long a body may take to arrive."""
_DISCARDED = 128 * 1024 * 1024
"""So much of a body that is too large is still read, and thrown away: a client reads no answer while it writes."""


async def read_body(request: Request, under_way: UnderWay) -> bytes:
    """The whole body. Raises Refused for one that is too large or too slow, ClientDisconnect when its sender left."""
    parts: list[bytes] = []
    size = 0
    async with under_way.asking(SECONDS):
        async for part in request.stream():
            size += len(part)
            if size > _DISCARDED:
                break
            if size <= MOST_BYTES:
                parts.append(part)
            else:
                parts.clear()
    if size > MOST_BYTES:
        raise Refused("body_too_large", f"The body is larger than {MOST_BYTES // 1024**2} MB.")
    return b"".join(parts)
