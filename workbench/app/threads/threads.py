"""Threads from outside: agents are started, spoken to, stopped and continued; what they did is listed and shown."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from workbench.app.calls.call_record import as_auth
from workbench.app.threads.effects import EffectDesk
from workbench.app.threads.event_queue import EventQueue
from workbench.app.threads.forks import ThreadForks
from workbench.app.threads.thread_attachments import keep_files, read_files
from workbench.app.threads.thread_starts import MissingVariable, StartableAgent, missing_variables, startable
from workbench.base.errors import NotThere, UserError
from workbench.base.exact_json import JsonError, parse_object
from workbench.base.ids import CallId, MessageId, RequestId, ThreadId
from workbench.domain.agents import AgentDefinition, SideName
from workbench.domain.auth import LOCAL
from workbench.domain.calls import Call
from workbench.domain.changes import Changes
from workbench.domain.events import Event, read_event
from workbench.domain.model_requests import ModelRequest
from workbench.domain.pages import ConversationPage, ThreadFilter, ThreadPage, ThreadTotals
from workbench.domain.requests import Request
from workbench.domain.threads import Inbound, Message, MessagePage, Role, Thread, ThreadKind
from workbench.domain.writes import DeleteThread
from workbench.engine.catalog.reach import whole_reach
from workbench.engine.engine import Engine
from workbench.engine.threads.editing import delete_messages, edit_message, insert_message
from workbench.engine.threads.family import NewThread, OwnValue
from workbench.store import SqliteStore


class ThreadRefused(NotThere):
    """There is no such agent or thread. `code` is `unknown_agent` or `unknown_thread`."""

    def __init__(self, code: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


class AgentThreads:
    """Belongs to the loop that opened the project. `Workbench.threads` is one.

    Every method that names a thread raises ThreadRefused when there is none.
    """

    def __init__(self, engine: Engine, store: SqliteStore) -> None:
        self._engine = engine
        self._services = engine.services
        self._store = store
        self.effects = EffectDesk(engine, store)
        """What they have scheduled."""
        self.forks = ThreadForks(engine, self.thread)

    # --- beginning

    async def agents(self) -> tuple[StartableAgent, ...]:
        """Every agent that its file allows, by name as in every list; some may have an obstacle."""
        catalog, variables = self._services.catalog, self._services.variables
        found = [
            await startable(catalog, variables, agent) for agent in catalog.directory.all(AgentDefinition)
        ]
        return tuple(sorted(found, key=lambda agent: agent.name))

    async def missing_variables(self, agent: str) -> tuple[MissingVariable, ...]:
        """What should be set before a thread of the agent starts (C5)."""
        return await missing_variables(self._services.catalog, self._services.variables, self._agent(agent))

    async def start(
        self,
        agent: str,
        arguments: Mapping[str, object] | None = None,
        *,
        message: str | None = None,
        attachments: Sequence[Path] = (),
        name: str = "",
        tags: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
        user_id: str | None = None,
        principal: str = LOCAL,
        attributes: Mapping[str, object] | None = None,
        dry_run: bool = False,
        as_of: str | None = None,
        approve: bool = False,
    ) -> Thread:
        """Make a thread and let it work: on the first message, or at once when its agent has no person.

        `variables` get values of the thread's own. As a session it belongs to `principal` (H7), of which `attributes`
        tell more, as JSON. With `dry_run` only what reads is run, in it and the threads
        below (C10); `as_of` is the instant that bounds its time arguments, as in `2026-03-01T12:00:00Z` (C11). Raises
        UserError when the agent cannot start, or its arguments do not fit.
        """
        definition = self._agent(agent)
        files = await read_files(attachments)
        await self._services.variables.refresh_masker()
        made = await self._engine.threads.start(
            NewThread(
                agent,
                arguments or {},
                name=name,
                tags=tuple(tags),
                user_id=user_id,
                auth=as_auth(principal, attributes),
                dry_run=dry_run,
                as_of=as_of,
                variables=self._own(definition, variables or {}),
            )
        )
        self._services.bus.changed(Changes(threads=frozenset({made.id})))
        if message is not None or files:
            await self._send(made.id, message or "", files, approve=approve)
        elif not definition.has_human:
            await self._engine.threads.go_on(made.id, approve=approve)
        return made

    def _own(self, agent: AgentDefinition, variables: Mapping[str, str]) -> tuple[OwnValue, ...]:
        """Values of the thread's own, of the types that are declared for them."""
        directory = self._services.catalog.directory
        declared = {
            need.spec.name: need.spec.type for one in whole_reach(directory, agent) for need in one.needs
        }
        return tuple(OwnValue(name, value, declared.get(name)) for name, value in variables.items())

    # --- going on

    async def send(
        self,
        thread_id: ThreadId,
        message: str,
        *,
        attachments: Sequence[Path] = (),
        role: Role = Role.USER,
        silent: bool = False,
        approve: bool = False,
    ) -> Message:
        """Give a thread a message. It starts, or takes the message before its next step, wherever it runs (T3, T9).

        `approve`: until it parks here, it and the threads below it may do what asks for an approval (C12).
        """
        await self.thread(thread_id)
        await self._services.variables.refresh_masker()
        files = await read_files(attachments)
        return await self._send(thread_id, message, files, role=role, silent=silent, approve=approve)

    async def _send(
        self,
        thread_id: ThreadId,
        message: str,
        files: Sequence[tuple[str, bytes]],
        *,
        role: Role = Role.USER,
        silent: bool = False,
        approve: bool = False,
    ) -> Message:
        refs = await keep_files(self._services, thread_id, files)
        return await self._engine.threads.send(
            thread_id, message, role=role, attachments=refs, silent=silent, approve=approve
        )

    async def go_on(
        self, thread_id: ThreadId, side: SideName | None = None, *, approve: bool = False
    ) -> None:
        """Let a thread work on without a message (T9). Raises RunError while another process runs it.

        `approve` as in `send`.
        """
        await self.thread(thread_id)
        await self._services.variables.refresh_masker()
        await self._engine.threads.go_on(thread_id, side, approve=approve)

    async def stop(self, thread_id: ThreadId) -> bool:
        """Stop a thread and every thread below it, and wait for that; False when none of them ran (C13, T9).

        Another process that runs it is asked to. Raises RunError when that does not answer.
        """
        await self.thread(thread_id)
        return await self._engine.threads.stop(thread_id)

    async def terminate(self, thread_id: ThreadId) -> None:
        """End a thread for good: it refuses further work. Raises RunError while another process runs it."""
        await self.thread(thread_id)
        await self._engine.threads.terminate(thread_id)

    async def delete(self, thread_id: ThreadId) -> None:
        """Delete a thread and every thread below it, with all that they hold: files, variables, folders.

        Raises UserError while one of them, a call in it or an effect of it runs, RunError when another process runs it.
        """
        await self.thread(thread_id)
        tree = await self._store.thread_tree(thread_id)
        async with self._engine.threads.changing(*tree):
            if await self._store.thread_tree(thread_id) != tree:
                raise UserError("The thread is at work.", hint="Stop it first.")
            await self._delete_held(tree)
        for one in tree:
            await asyncio.to_thread(self._services.folders.remove_workspace, one)
        self._services.bus.changed(Changes(threads=frozenset(tree)))

    async def _delete_held(self, tree: Sequence[ThreadId]) -> None:
        for one in tree:
            await self.effects.refuse_running(one)
            await self._engine.threads.silence(one)
        variables = self._services.variables
        for row in variables.rows():
            if row.thread_id is not None and row.thread_id in tree:
                await variables.unset(row.name, row.scope, ThreadId(row.thread_id))
        await self._store.commit(*map(DeleteThread, reversed(tree)))

    async def parked(self, thread_id: ThreadId) -> Thread:
        """The thread once it has nothing more to do here; one that another process runs is not waited for."""
        await self.thread(thread_id)
        return await self._engine.threads.parked(thread_id)

    def running(self) -> tuple[Thread, ...]:
        """The threads at work in this process."""
        return self._engine.threads.running()

    async def is_elsewhere(self, thread_id: ThreadId) -> bool:
        """Whether another process runs the thread."""
        return await self._store.is_elsewhere(thread_id)

    # --- looking

    async def page(
        self, filter: ThreadFilter | None = None, *, limit: int = 100, key: str | None = None
    ) -> ThreadPage:
        """A page of threads, newest activity first."""
        return await self._store.thread_page(filter or ThreadFilter(), limit=limit, key=key)

    async def thread(self, thread_id: ThreadId) -> Thread:
        """The thread's row."""
        found = await self._store.thread(thread_id)
        if found is None or found.kind is not ThreadKind.AGENT:
            raise ThreadRefused(
                "unknown_thread", f"There is no thread {thread_id}.", hint="Run `workbench thread list`."
            )
        return found

    async def subagent_of(self, call_id: CallId) -> ThreadId | None:
        """The thread right below that a call made, or spoke to; None for any other call.

        A call that came with the history of another thread tells the child of that one (T21).
        """
        call = await self._store.call(call_id)
        if call is not None and call.copy_of is not None:
            call_id = call.copy_of
            call = await self._store.call(call_id)
        if call is None:
            return None
        spoken_to = _reference(call) if call.tool == "subagent_message" else None
        for child in await self._store.children(call.thread_id):
            if call_id == child.made_by or spoken_to == child.id:
                return child.id
        return None

    async def below(self, thread_id: ThreadId) -> tuple[ThreadId, ...]:
        """The thread and all below it, a child after its parent."""
        return tuple(await self._store.thread_tree(thread_id))

    async def totals(self, thread_id: ThreadId, *, below: bool = True) -> ThreadTotals:
        """Requests, calls, tokens and cost; with `below` of every thread below it, too."""
        await self.thread(thread_id)
        return await self._store.totals(thread_id, below=below)

    async def messages(
        self, thread_id: ThreadId, *, limit: int = 100, offset: int = 0, max_depth: int = 0
    ) -> MessagePage:
        """Messages in their order, silent ones too; deeper ones are those of sub-prompts and nested calls."""
        return await self._store.messages(
            thread_id, limit=limit, offset=offset, include_silent=True, max_depth=max_depth
        )

    async def conversation(
        self, thread_id: ThreadId, *, before: MessageId | None = None, limit: int = 100
    ) -> ConversationPage:
        """The messages just before one, or the last ones, of any depth, with a line for each call they carry."""
        return await self._store.conversation(thread_id, before=before, limit=limit)

    async def inbox(self, thread_id: ThreadId) -> tuple[Inbound, ...]:
        """What waits until the thread works again, oldest first."""
        return tuple(await self._store.inbox(thread_id))

    async def requests(self, thread_id: ThreadId) -> tuple[Request, ...]:
        """The model requests, oldest first."""
        return tuple(await self._store.requests(thread_id))

    async def asked(self, request_id: RequestId) -> ModelRequest:
        """What a request sent, byte for byte. Raises UserError when there is no such request."""
        found = await self._store.asked(request_id)
        if found is None:
            raise UserError(f"There is no request {request_id}, or nothing of it was sent.")
        return found

    # --- changing what was said

    async def edit_message(self, message_id: MessageId, content: str) -> Message:
        """Give a message another text. Raises UserError while its thread or a call in it runs, or for a text that says
        nothing."""
        thread_id = (await self._message(message_id)).thread_id
        async with self._engine.threads.changing(thread_id):
            hooks = await self._engine.threads.hooks(thread_id)
            return await edit_message(self._services, await self._message(message_id), content, hooks)

    async def insert_message(
        self, thread_id: ThreadId, content: str, *, role: Role = Role.USER, before: MessageId | None = None
    ) -> Message:
        """Put a message into the history, at its end or before another one; calls stay with their results (T10)."""
        await self.thread(thread_id)
        async with self._engine.threads.changing(thread_id):
            hooks = await self._engine.threads.hooks(thread_id)
            return await insert_message(
                self._services, thread_id, content, role=role, before=before, hooks=hooks
            )

    async def delete_messages(self, thread_id: ThreadId, *message_ids: MessageId) -> tuple[MessageId, ...]:
        """Delete messages for good; a call goes with its result and a result with its call (T10).

        Gives the ids of all that went. Raises UserError while the thread runs, RunError while it does elsewhere.
        """
        await self.thread(thread_id)
        async with self._engine.threads.changing(thread_id):
            return await delete_messages(self._services, thread_id, message_ids)

    async def _message(self, message_id: MessageId) -> Message:
        message = await self._store.message(message_id)
        if message is None:
            raise UserError(f"There is no message {message_id}.")
        return message

    # --- watching

    @contextmanager
    def stream(self, thread_id: ThreadId) -> Generator[EventQueue]:
        """While inside: what happens in a thread and in every thread below it, as it happens in this process."""
        queue = EventQueue()
        threads = self._engine.threads

        def hear(event: Event) -> None:
            if threads.is_within(event.thread_id, thread_id):
                queue.put(event)

        stop = self._services.bus.subscribe(hear)
        try:
            yield queue
        finally:
            stop()

    async def run_began(self, thread_id: ThreadId) -> int:
        """The number behind which a thread's events are those of its last run; with none that of its last event."""
        return await self._store.run_began(thread_id)

    async def events(self, thread_id: ThreadId, *, after: int = 0) -> tuple[tuple[Event, ...], int]:
        """What was kept of a thread's events behind a number, and the number of the last one."""
        found = await self._store.events_after(thread_id, after)
        events = (read_event(text) for _, text in found)
        return tuple(one for one in events if one is not None), found[-1][0] if found else after

    async def numbered_events(
        self, thread_id: ThreadId, *, after: int = 0, limit: int
    ) -> tuple[tuple[int, Event], ...]:
        """At most `limit` of what was kept of a thread's events behind a number, each with its own."""
        while found := await self._store.events_after(thread_id, after, limit=limit):
            events = ((number, read_event(text)) for number, text in found)
            known = tuple((number, event) for number, event in events if event is not None)
            if known:
                return known
            after = found[-1][0]
        return ()

    # ----------------------------------------------------------------------------------------------------------

    def _agent(self, name: str) -> AgentDefinition:
        catalog = self._services.catalog
        try:
            return catalog.require(AgentDefinition, name)
        except UserError as error:
            raise ThreadRefused("unknown_agent", error.message, hint=error.hint) from error


def _reference(call: Call) -> object:
    """Which child a call speaks to; None where its arguments do not say."""
    try:
        return parse_object(call.arguments_run or call.arguments).get("reference")
    except JsonError:
        return None
