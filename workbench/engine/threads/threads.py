"""All threads of a project: started, spoken to, stopped, continued; each runs by itself, one step at a time (T2)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from workbench.base.errors import BugError, RunError, UserError
from workbench.base.ids import MessageId, ThreadId, uuid7
from workbench.domain.agents import AgentDefinition, SideName
from workbench.domain.calls import AttachmentRef
from workbench.domain.definitions import Definition
from workbench.domain.hooks import HandlerDefinition, HookDefinition
from workbench.domain.threads import Message, Role, Thread
from workbench.domain.writes import TakeInbound, Write
from workbench.engine.calls.setting import Offered, Perform, Setting, StateMethod
from workbench.engine.catalog.offers import Offer
from workbench.engine.replays.children import as_part_of_replay
from workbench.engine.threads.actor import Actor
from workbench.engine.threads.agent_calls import AgentCall
from workbench.engine.threads.beside import Beside
from workbench.engine.threads.child_methods import ChildMethods
from workbench.engine.threads.children import Children
from workbench.engine.threads.code_link import CodeLink
from workbench.engine.threads.effects import Effects
from workbench.engine.threads.family import NewThread, ancestors, root_of, waiting
from workbench.engine.threads.hooks import Hooks
from workbench.engine.threads.lifecycle_tools import LifecycleTools
from workbench.engine.threads.making import keep_new_thread, new_thread
from workbench.engine.threads.reports import Reports
from workbench.engine.threads.runs import Runs
from workbench.engine.threads.runtime import Runtime
from workbench.engine.threads.sessions import SessionMethods
from workbench.engine.threads.state_methods import StateMethods
from workbench.engine.threads.thread_run import ThreadRun
from workbench.engine.threads.watchdog import Watchdog
from workbench.engine.threads.wishes import stop_elsewhere, take_decision
from workbench.engine.threads.work import Work
from workbench.engine.variables import Layers


class Threads:
    """Lives in the engine's loop."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._services = runtime.services
        self._children = Children(runtime.services, self)
        self._reports = Reports(runtime.services, self, self._children)
        self.effects = Effects(runtime.services, self)
        self._runs = Runs(runtime.services.store, self._make_run)
        self._watchdog = Watchdog(runtime, lambda: [run.work for run in self._runs.running()])

    # --- what a person, a program or another thread asks

    async def start(self, new: NewThread) -> Thread:
        """Make a thread; it runs with its first message, or when it is told to go on. Raises UserError."""
        return (await self.make(new)).thread

    async def make(self, new: NewThread) -> Work:
        """Make a thread, and the children that are to be there from the beginning (T5). Raises UserError.

        Where a channel's session of this key was begun before, in whatever process, it is that one.
        """
        new = await as_part_of_replay(self._services.store, new)
        thread = new_thread(self._services, new)
        kept = await keep_new_thread(self._services, thread, new.variables)
        work = await self.work_of(kept.id)
        if kept.id != thread.id:
            return work
        agent = work.agent()
        await work.hooks(agent).thread_created()
        for side, relation in agent.relationships:
            if relation.immediate is not None:
                await self._children.make_immediate(work, side, relation, relation.immediate)
        return work

    async def send(
        self,
        thread_id: ThreadId,
        content: str,
        *,
        role: Role = Role.USER,
        attachments: Sequence[AttachmentRef] = (),
        silent: bool = False,
        approve: bool = False,
    ) -> Message:
        """Give a thread a message; it starts, or takes the message before its next step (T3). Raises UserError.

        `approve`: what the run and the threads below it ask an approval for has it beforehand, until it parks (C12).
        """
        run = await self._runs.find(thread_id)
        self._refuse_over(run)
        await self._children.a_person_spoke(run.work)
        agent = run.work.agent()
        message = Message(
            id=MessageId(uuid7()),
            thread_id=thread_id,
            role=role,
            created_at=self._services.clock.now_us(),
            content=self._services.variables.masker.mask(content),
            silent=silent,
            side=agent.human_side if role is Role.USER and not silent else None,
            attachments=tuple(attachments),
        )
        await self.deliver(message, approve=approve)
        return message

    async def deliver(
        self, message: Message, *files: Write, approve: bool = False, sender: Work | None = None
    ) -> None:
        """Keep a message until its thread's next step, and start the thread (T3), unless its sender is stopped (T9)."""
        run = await self._runs.find(message.thread_id)
        self._refuse_over(run)
        await self._services.store.commit(*files, waiting(message))
        if sender is None or not sender.stopping:
            run.wake(approve=approve)

    async def leave(self, message: Message, *files: Write, approve: bool = False) -> None:
        """Keep a message that code wrote until its thread's next step; one that was stopped is not started (T9)."""
        run = await self._runs.find(message.thread_id)
        self._refuse_over(run)
        await self._services.store.commit(*files, waiting(message))
        run.nudge(approve=approve)

    async def nudge(self, thread_id: ThreadId, *, approve: bool = False) -> None:
        """Let a thread take up what waits for it, unless it was stopped: that only a person undoes (T9)."""
        (await self._runs.find(thread_id)).nudge(approve=approve)

    async def go_on(
        self, thread_id: ThreadId, side: SideName | None = None, *, approve: bool = False
    ) -> None:
        """Let a thread work on without a message, with this side or the one whose turn it was (T9).

        A turn under way ends first. Where that was a person's, the other side works on. Raises RunError while another
        process runs it. `approve` as in `send`.
        """
        run = await self._runs.find(thread_id)
        self._refuse_over(run)
        await self.refuse_elsewhere(thread_id)
        await self._children.a_person_spoke(run.work)
        if side is not None and run.is_running:
            run.work.next_side = side
        elif side is not None:
            async with run.held():
                await run.work.save(session=run.thread.session.model_copy(update={"side": side}))
        is_persons = side is not None and side == run.work.agent().human_side
        run.wake(go_on=not is_persons, approve=approve)

    async def stop(self, thread_id: ThreadId) -> bool:
        """Stop a thread and every thread below it, and wait for that; False when nothing of them ran (C13, T9).

        Calls by hand in them end, too. Another process that runs one, or such a call, is asked to. Raises RunError when
        that does not answer.
        """
        here, elsewhere = await asyncio.gather(
            self._stop_here(thread_id), stop_elsewhere(self._services.store, thread_id)
        )
        return here or elsewhere

    async def _stop_here(self, thread_id: ThreadId) -> bool:
        # All at once: none may start another one again.
        stops = [run.stop() for run in self._runs.at_work() if self._runs.is_within(run.thread.id, thread_id)]
        await asyncio.gather(*stops)
        return bool(stops)

    async def heed(self) -> None:
        """Do what other processes wish of the threads, their calls and the effects at work here (C12, T9, T16).

        What a person answers as a model is left to who asks it.
        """
        for run in self._runs.all():
            run.heed()
        for run in self._runs.at_work():
            waiting = await self._services.store.inbox(run.thread.id)
            wishes = [one for one in waiting if one.is_wish and one.answer is None]
            for one in wishes:
                take_decision(self._services.approvals, one)
            if any(one.stop for one in wishes):
                await self._stop_here(run.thread.id)
                await run.keep_stop()
            if wishes:
                await self._services.store.commit(*(TakeInbound(one.id) for one in wishes))
        await self._reports.heed()
        await self.effects.heed()

    async def close(self) -> None:
        """Stop every thread, every effect and the hooks that are only told of something, and wait for them.

        None begins from here on.
        """
        self._runs.is_closed = True
        await self.effects.close()
        await self.stop_all()
        await self._watchdog.close()
        await asyncio.gather(*(run.work.observers.end() for run in self._runs.all()))

    async def stop_all(self) -> None:
        """Stop every thread, and wait for it."""
        while runs := self._runs.running():
            await asyncio.gather(*[run.stop() for run in runs])

    async def terminate(self, thread_id: ThreadId) -> None:
        """End a thread for good: it refuses further work (T5). Raises RunError while another process runs it."""
        await (await self._runs.find(thread_id)).terminate()

    @asynccontextmanager
    async def held(self, *thread_ids: ThreadId) -> AsyncGenerator[None]:
        """While inside these threads are at rest, here and in every other process: what is theirs can be changed.

        Raises UserError while one of them runs here, RunError while another process runs one.
        """
        async with AsyncExitStack() as stack:
            for one in thread_ids:
                await stack.enter_async_context((await self._runs.find(one)).held())
            yield

    @asynccontextmanager
    async def changing(self, *thread_ids: ThreadId) -> AsyncGenerator[None]:
        """`held`, with no call by hand under way in them here. Raises UserError while there is one, else as `held`."""
        runs = [await self._runs.find(one) for one in thread_ids]
        for run in runs:  # else one that holds its thread would be waited for
            run.refuse_calls()
        async with self.held(*thread_ids):
            for run in runs:
                run.refuse_calls()
            yield

    async def silence(self, thread_id: ThreadId) -> None:
        """A thread that is held is about to be deleted: no hook of it may speak any more."""
        await (await self._runs.find(thread_id)).work.observers.end()

    async def parked(self, thread_id: ThreadId) -> Thread:
        """The thread when it has nothing more to do."""
        run = await self._runs.find(thread_id)
        await run.parked()
        return run.thread

    def is_within(self, thread_id: ThreadId, above: ThreadId) -> bool:
        """Whether it is that thread, or one below it, as far as it ran in this process."""
        return self._runs.is_within(thread_id, above)

    def running(self) -> tuple[Thread, ...]:
        """The threads at work."""
        return tuple(run.thread for run in self._runs.running())

    async def is_at_work(self, thread_id: ThreadId) -> bool:
        """Whether a turn of the thread is under way, here or in another process."""
        elsewhere = await self._services.store.is_elsewhere(thread_id)
        run = self._runs.known(thread_id)
        return elsewhere or (run is not None and run.is_running)

    async def surroundings(self, thread_id: ThreadId) -> tuple[Layers, Setting]:
        """What a call by hand in a thread sees: its variables, as far as its agent can be used, and what is its own."""
        work = await self.work_of(thread_id)
        setting = Beside(self._services.catalog, self.methods(work, in_run=False))
        try:
            return work.layers(work.agent(), {}), setting
        except UserError:
            return Layers(threads=(thread_id, *work.ancestors)), setting

    @property
    def may_begin(self) -> bool:
        """Whether a run may begin: not any more once everything closes."""
        return not self._runs.is_closed

    def spawn(self, run: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        """Let a run begin; it is held on to until it ends."""
        return self._runs.spawn(run, name)

    # --- runs

    def _make_run(self, thread: Thread, above: Sequence[ThreadId]) -> ThreadRun:
        return ThreadRun(Work(self._runtime, thread, above, self._code_link), self, self._reports)

    def _code_link(self, work: Work, code: Definition, actor: Actor | None) -> CodeLink:
        watched = not isinstance(code, HookDefinition)
        methods = self.methods(work, in_run=work.is_part_of_run(code), watched=watched)
        run = self._runs.of(work)
        perform = run.for_code if isinstance(code, HandlerDefinition) else None
        return CodeLink(work, code, methods, run.nudge, actor, perform=perform)

    async def _relative(self, asker: Work, thread_id: ThreadId, *, watched: bool) -> CodeLink | None:
        """The `state` of another thread of the same tree, as one that is at rest; None when it is gone (T18).

        It stands as code of that thread's own agent.
        """
        if root_of(asker) not in await self._above(thread_id):
            return None
        other = await self.work_of(thread_id)
        agent = other.agent()
        methods = self.methods(other, in_run=False, watched=watched)
        return CodeLink(other, agent, methods, self._runs.of(other).nudge, watched=watched)

    async def _above(self, thread_id: ThreadId) -> Sequence[ThreadId]:
        """A thread that there is, and those above it."""
        thread = await self._services.store.thread(thread_id)
        return () if thread is None else (thread_id, *await ancestors(self._services.store, thread))

    def _refuse_over(self, run: ThreadRun) -> None:
        if run.is_over:
            raise UserError("The thread was terminated: it takes no more work.", hint="Start a new one.")

    async def refuse_elsewhere(self, thread_id: ThreadId) -> None:
        """Raise RunError while another process runs the thread."""
        if await self._services.store.is_elsewhere(thread_id):
            raise RunError(
                "The thread is at work in another process.",
                hint="Wait until it is done, or stop it. A message that is sent to it waits for its next step.",
            )

    # --- what a run reaches beyond itself

    async def work_of(self, thread_id: ThreadId) -> Work:
        """What a thread works with. Raises UserError when there is none."""
        return (await self._runs.find(thread_id)).work

    async def hooks(self, thread_id: ThreadId) -> Hooks:
        """Those that watch what a person changes of a thread (T8). Raises UserError when its agent cannot be used."""
        work = await self.work_of(thread_id)
        return work.hooks_of_reader(work.agent(), work.thread.session.side)

    def call_agent(self, work: Work, offer: Offer) -> Perform:
        """An agent that is called as a tool (T4)."""
        if not isinstance(offer.definition, AgentDefinition):
            raise BugError(f"{offer.name} is no agent.")
        return AgentCall(work, offer.definition, offer.entry, self._reports, self).perform

    async def built_in(self, work: Work, actor: Actor) -> Mapping[str, Offered]:
        """The tools for subagents (T5)."""
        return await LifecycleTools(work, self._children, self._reports, self).of(actor)

    async def missing_children(self, work: Work, actor: Actor) -> Mapping[str, Offered]:
        """The tool for the children that were to be there from the beginning (T5)."""
        return await LifecycleTools(work, self._children, self._reports, self).of_missing(actor)

    def methods(self, work: Work, *, in_run: bool = True, watched: bool = True) -> Mapping[str, StateMethod]:
        """What `state` can do with an agent's thread; `in_run`: in the run itself, while it goes on.

        What is written to other threads is `watched` by their hooks, unless a hook writes it (T8).
        """
        own = StateMethods(work, self, in_run=in_run)
        others = ChildMethods(
            work, self._children, self.effects, partial(self._relative, work, watched=watched)
        )
        shared = SessionMethods(self._services, self, work)
        return {**own.methods(), **others.methods(), **shared.methods()}

    def shared_methods(self) -> Mapping[str, StateMethod]:
        """What `state` can do in a call outside of all sessions."""
        return SessionMethods(self._services, self, None).methods()
