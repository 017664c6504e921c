"""Direct calls: a tool is called without a model's turn, in a session or beside all of them (H1, H3)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from workbench.app.calls.call_record import CallRecord, CallRefused, as_arguments, record_of
from workbench.base.errors import BugError, RunError, UserError
from workbench.base.ids import CallId, ThreadId, new_call_id, uuid7
from workbench.domain.auth import Auth
from workbench.domain.calls import Call, CallRequest, Origin
from workbench.domain.threads import Thread, ThreadKind
from workbench.domain.tools import Effect
from workbench.engine.catalog import RUN_ELSEWHERE
from workbench.engine.engine import Engine

_TOKEN = re.compile(r"([A-Za-z0-9_.-]+):(.+)", re.DOTALL)

Begin = Callable[[CallRequest, Thread], Awaitable[None]]
"""Starts a call."""


@dataclass(frozen=True, slots=True)
class Wish:
    """How a caller wants it: in which session, and what `Workbench.call_tool` says of the rest."""

    session_id: str | None = None
    continuation_token: str | None = None
    dry_run: bool = False
    approve: bool = False
    timeout: float | None = None
    origin: Origin = Origin.PYTHON
    auth: Auth = field(default_factory=Auth)
    begun: Callable[[CallId], None] | None = None
    """Told the call's id before it begins, for who wants to follow it."""
    ended: Callable[[Call], None] | None = None
    """Told the call when it has ended, for who wants more of it than its record."""


@dataclass(frozen=True, slots=True)
class _Bound:
    """Where a call runs and is recorded."""

    thread: Thread
    workspace: str | None = None
    """A folder for this call alone; None is the thread's own."""
    is_stand_in: bool = False
    """The folder stands in for a session's that cannot be made."""
    channel: str = ""
    key: str = ""


class DirectCalls:
    """Lives in the engine's loop."""

    def __init__(self, engine: Engine, begin: Begin) -> None:
        self._engine = engine
        self._services = engine.services
        self._begin = begin

    async def call(self, name: str, input: Mapping[str, object] | bytes | str, wish: Wish) -> CallRecord:
        """Call a tool and wait for its record. Raises CallRefused; cancelling the awaiting task stops the call."""
        arguments = as_arguments(input)
        # No tool has a secret for its name; whatever this is, it must not be kept.
        name = (await self._services.variables.refresh_masker()).mask(name)
        session, channel, key = await self._session(wish)
        obstacle = self._services.catalog.why_not_callable(name)
        if obstacle is not None and obstacle.code in RUN_ELSEWHERE:
            raise CallRefused("tool_not_callable", obstacle.message, hint=obstacle.hint)
        tool = self._services.catalog.find(name)
        if tool is not None and tool.script is not None:
            raise CallRefused(
                "tool_not_callable",
                f"{name} is a script that runs in a session's workspace, so it cannot be called directly.",
                hint="An agent calls it, or its form in the window.",
            )
        async with AsyncExitStack() as stack:
            if session is None:
                bound = _Bound(await self._engine.bench(), self._scratch(stack), channel=channel, key=key)
            else:
                bound = await self._in_session(session, name, arguments, stack)
            request = CallRequest(
                tool=name,
                arguments=arguments,
                origin=wish.origin,
                thread_id=bound.thread.id,
                call_id=new_call_id(name),
                turn_id=uuid7(),
                timeout=wish.timeout,
                approve=wish.approve,
                auth=wish.auth,
                dry_run=wish.dry_run,
                workspace=bound.workspace,
                channel=bound.channel,
                channel_key=bound.key,
            )
            if wish.begun is not None:
                wish.begun(request.call_id)
            await self._begin(request, bound.thread)
            call = await self._end_of(request)
        if wish.ended is not None:
            wish.ended(call)
        return record_of(call, self._services.catalog.names, scratch_workspace=bound.is_stand_in)

    async def _end_of(self, request: CallRequest) -> Call:
        ended = self._engine.ended(request.call_id)
        if ended is None:
            return await self._kept(request.call_id)
        try:
            return await asyncio.shield(ended)
        except asyncio.CancelledError:
            await asyncio.shield(self._engine.stop(request.call_id))
            raise

    async def _kept(self, call_id: CallId) -> Call:
        call = await self._services.store.call(call_id)
        if call is None:
            raise BugError(f"The call {call_id} has ended and is not in the history.")
        return call

    # --- sessions

    async def _session(self, wish: Wish) -> tuple[Thread | None, str, str]:
        """The session that is named, if one is and there is one, and the token's channel and key.

        One that belongs to another is not there for this caller (H7): that it is must not be learnt by asking.
        """
        session_id = wish.session_id
        if wish.continuation_token is not None:
            found = _TOKEN.fullmatch(wish.continuation_token)
            if session_id is not None or found is None:
                raise CallRefused(
                    "invalid_continuation_token",
                    "A continuation token is <channel>:<key> and stands alone, without a session id.",
                )
            thread = await self._services.store.session(found[1], found[2])
            if thread is not None and not wish.auth.may_use_session_of(thread.auth):
                raise _no_session(f"There is no session at {wish.continuation_token}.")
            return thread, found[1], found[2]
        if session_id is None:
            return None, "", ""
        thread = await self._services.store.thread(ThreadId(session_id))
        if thread is None or not wish.auth.may_use_session_of(thread.auth):
            raise _no_session(f"There is no session {session_id}.")
        return thread, thread.channel, thread.channel_key

    async def _in_session(self, thread: Thread, name: str, arguments: bytes, stack: AsyncExitStack) -> _Bound:
        """A read runs beside a turn; anything else needs the session for itself (C6)."""
        tool = self._services.catalog.find(name)
        effect: Effect = "read" if tool is None else await self._engine.effect_of(tool, arguments)
        if thread.kind is ThreadKind.AGENT and effect != "read":
            await self._keep_at_rest(thread, name, stack)
        try:
            self._services.folders.workspace(thread.id)
        except UserError as error:
            if effect != "read":
                raise CallRefused("workspace_unavailable", error.message, hint=error.hint) from error
            return _Bound(thread, self._scratch(stack), is_stand_in=True)
        return _Bound(thread)

    async def _keep_at_rest(self, thread: Thread, name: str, stack: AsyncExitStack) -> None:
        try:
            await stack.enter_async_context(self._engine.threads.held(thread.id))
        except (UserError, RunError) as error:
            raise CallRefused(
                "session_busy",
                f"A turn of the session is under way, and {name} is not known to only read.",
                hint="Call it again when the turn has ended.",
            ) from error

    def _scratch(self, stack: AsyncExitStack) -> str:
        folder = self._services.folders.scratch()
        stack.push_async_callback(self._services.folders.remove_scratch, folder)
        return folder


def _no_session(message: str) -> CallRefused:
    return CallRefused("session_not_found", message, hint="`workbench thread list` has them all.")
