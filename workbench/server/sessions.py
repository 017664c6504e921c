"""The sessions of a project: their list, and the events of one (H4)."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from workbench.app import Workbench
from workbench.base.exact_json import dump
from workbench.base.ids import ThreadId
from workbench.domain.threads import Thread
from workbench.server.answers import Refused, answered
from workbench.server.event_stream import stream
from workbench.server.gate import caller_of

USUAL_PAGE = 100
LARGEST_PAGE = 1_000
"""Sessions that one answer lists."""

_KEY = re.compile(r"\d{1,18}-\d{1,18}", re.ASCII)


class Sessions:
    """Serves what is asked of sessions: those that the caller may use (H7). `stopping` ends every stream."""

    def __init__(self, workbench: Workbench, stopping: asyncio.Event) -> None:
        self._workbench = workbench
        self._stopping = stopping

    async def list(self, request: Request) -> Response:
        """A page of sessions, the last active first; where there are more, the header `Link` says where.

        `continuationToken` is null for one that was begun on no channel. A page may be short, since sessions of
        others are not in it.
        """
        caller, (limit, key) = caller_of(request), _page_asked(request)
        page = await self._workbench.threads.page(limit=limit, key=key)
        threads = await asyncio.gather(*(self._workbench.store.thread(row.id) for row in page.rows))
        rows = [_row(one) for one in threads if one and caller.may_use_session_of(one.auth)]
        more = {"limit": limit, "key": page.next_key}
        link = {"Link": f'<{request.url.path}?{urlencode(more)}>; rel="next"'} if page.next_key else None
        return answered(dump(rows), headers=link)

    async def events(self, request: Request) -> Response:
        """Everything that is kept of a session and then what happens; goes on behind `Last-Event-ID`."""
        thread_id = ThreadId(request.path_params["id"])
        thread = await self._workbench.store.thread(thread_id)
        if thread is None or not caller_of(request).may_use_session_of(thread.auth):
            raise Refused("session_not_found", f"There is no session {thread_id}.")
        events = stream(self._workbench, thread_id, _last_seen(request), self._stopping)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(events, 200, headers, "text/event-stream")


def _page_asked(request: Request) -> tuple[int, str | None]:
    """How many sessions are wanted, and behind which place in their order."""
    limit, key = request.query_params.get("limit", str(USUAL_PAGE)), request.query_params.get("key")
    if not (re.fullmatch(r"[1-9]\d{0,3}", limit, re.ASCII) and int(limit) <= LARGEST_PAGE):
        raise Refused("invalid_request", f"limit must be a whole number from 1 to {LARGEST_PAGE}.")
    if key is not None and not _KEY.fullmatch(key):
        raise Refused("invalid_request", "key must be that of the Link of the page before.")
    return int(limit), key


def _last_seen(request: Request) -> int:
    given = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        raise Refused("invalid_request", "The last event's id must be a whole number.")
    return int(given)


def _row(thread: Thread) -> dict[str, object]:
    return {
        "sessionId": thread.id,
        "continuationToken": f"{thread.channel}:{thread.channel_key}" if thread.channel else None,
        "channel": thread.channel or None,
        "agent": thread.agent,
        "name": thread.name,
        "status": thread.status,
        "dryRun": thread.dry_run,
        "asOf": thread.as_of,
        "parentId": thread.parent_id,
        "createdAt": thread.created_at,
        "updatedAt": thread.updated_at,
    }
