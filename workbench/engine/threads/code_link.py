"""The `state` of code that runs beside tools (hooks, handlers, effects): a thread's methods without a call's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from functools import cached_property

from workbench.base.errors import RunError, UserError
from workbench.base.ids import new_call_id, uuid7
from workbench.base.masker import MaskStream
from workbench.domain.calls import CallRequest, Origin, ToolResult
from workbench.domain.definitions import Definition
from workbench.domain.events import CodeEmitted, CodeLogged
from workbench.domain.hooks import HookDefinition
from workbench.domain.threads import Inbound
from workbench.domain.tools import ToolDefinition
from workbench.domain.writes import AppendEvent, PutInbound
from workbench.engine.calls import context
from workbench.engine.calls.code_runs import CodeRuns
from workbench.engine.calls.lookups import Lookups
from workbench.engine.calls.running import RunningCall
from workbench.engine.calls.setting import Bench, NoHooks, Offered, Perform, StateMethod
from workbench.engine.calls.state import as_tool_result
from workbench.engine.calls.thread_state import ThreadState
from workbench.engine.calls.turn import Turn
from workbench.engine.catalog.offers import Offer, offer_to_code
from workbench.engine.ports import StateError
from workbench.engine.threads.actor import Actor
from workbench.engine.threads.hooks import Hooks
from workbench.engine.threads.setting import as_tool
from workbench.engine.threads.work import Work
from workbench.engine.variables import Layers


class CodeLink:
    """The CallLink of one run of a hook, a handler or an effect, or of what code of another thread does here (T18).

    `wake` starts the thread when a tool was queued, `actor` is the prompt at work whose hook it is. `perform` runs what
    prompts and agents it invokes; without it tools are all it does: a thread takes one step at a time, and other code
    runs within one or beside it (T2). What a hook writes does not run hooks again, or one could set itself off without
    end; what a handler or an effect writes does (T8).
    """

    def __init__(
        self,
        work: Work,
        code: Definition,
        methods: Mapping[str, StateMethod],
        wake: Callable[[], None],
        actor: Actor | None = None,
        *,
        watched: bool = True,
        perform: Callable[[Offer], Perform] | None = None,
    ) -> None:
        self._is_watched = watched and not isinstance(code, HookDefinition)
        self._work = work
        self._services = work.services
        self._code = code
        self._more = methods
        self._wake = wake
        self._actor = actor
        self._perform = perform
        self._context = work.shared_context(code)
        self.on_log: Callable[[str], None] = lambda text: None
        """Told of what the code prints, secrets hidden."""
        self._streams: dict[str, MaskStream] = {}
        self._runs = CodeRuns(work.services.code, lambda: work.services.variables.masker, self.log)

    @cached_property
    def _layers(self) -> Layers:
        return self._actor.layers if self._actor else self._work.layers(self._work.agent(), {})

    @cached_property
    def _hooks(self) -> Hooks | None:
        """The hooks that watch this code."""
        return self._work.hooks(self._work.agent()) if self._is_watched else None

    @cached_property
    def _methods(self) -> Mapping[str, StateMethod]:
        hooks = self._hooks or NoHooks()
        state = ThreadState(self._services, self._work.thread, self._layers, self._code.variables, hooks)
        return {
            **state.methods(),
            **Lookups(self._services.catalog.directory, self._code.package).methods(),
            "queueTool": self._queue_tool,
            "invokeTool": self._invoke_tool,
            "updateContext": self._update_context,
            **self._runs.methods(),
            **self._more,
        }

    async def ask(self, method: str, params: Mapping[str, object]) -> object:
        """Serve one method; raises StateError to refuse."""
        try:
            serve = self._methods.get(method)
            if serve is None:
                raise StateError("AttributeError", f"state has no method {method} here.")
            return await serve(params)
        except (UserError, RunError) as error:
            raise StateError("RuntimeError", str(error)) from error

    def identity(self) -> Mapping[str, object]:
        """What the code is told of the thread, by the wire's names."""
        return self._work.identity(self._code, self._actor)

    def emit(self, event: str, data: str) -> None:
        masker = self._services.variables.masker
        self._tell(
            CodeEmitted(
                thread_id=self._work.thread.id,
                at=self._services.clock.now_us(),
                source=self._code.name,
                event=masker.mask(event),
                data=masker.mask_json_text(data),
            )
        )

    def log(self, stream: str, text: str) -> None:
        """Record what was printed, with secrets hidden even where one is split over two pieces."""
        masking = self._streams.setdefault(stream, MaskStream(self._services.variables.masker))
        masking.masker = self._services.variables.masker
        self._logged(stream, masking.feed(text))

    def close(self) -> None:
        """The code has ended, and what it ran beside it; give out what was held back."""
        self._runs.close()
        for stream, masking in self._streams.items():
            self._logged(stream, masking.close())

    def _logged(self, stream: str, text: str) -> None:
        if not text:
            return
        self.on_log(text)
        self._tell(
            CodeLogged(
                thread_id=self._work.thread.id,
                at=self._services.clock.now_us(),
                source=self._code.name,
                stream=stream,
                text=text,
            )
        )

    def _tell(self, event: CodeEmitted | CodeLogged) -> None:
        self._services.bus.publish(event)
        with contextlib.suppress(UserError):  # whoever watches has been told
            self._services.store.write_soon(AppendEvent(event))

    async def _queue_tool(self, params: Mapping[str, object]) -> object:
        name, arguments = str(params["name"]), str(params["argumentsJson"])
        waiting = Inbound(
            id=uuid7(),
            thread_id=self._work.thread.id,
            tool=self._services.variables.masker.mask(name),
            arguments=self._services.variables.masker.mask_json_text(arguments),
        )
        await self._services.store.commit(PutInbound(waiting))
        self._wake()
        return None

    async def _invoke_tool(self, params: Mapping[str, object]) -> object:
        name, work = str(params["name"]), self._work
        refusal = self._no_tool(name)
        if refusal:
            return {"status": "error", "error": refusal}
        setting = _InCode(work, self._code, self._more, self._hooks, self._perform)
        turn = Turn(
            self._services, work.thread, self._layers, work.runtime.live, setting, context=self._context
        )
        call = await turn.add(
            CallRequest(
                tool=name,
                arguments=str(params["argumentsJson"]).encode(),
                origin=Origin.INVOKE,
                thread_id=work.thread.id,
                call_id=new_call_id(name),
                person_attached=work.runtime.person_attached,
                approve=work.runtime.approve,
            )
        )
        await turn.run()
        return {**as_tool_result(call.record), "context": dict(self._context)}

    def _no_tool(self, name: str) -> str:
        """Why a prompt or an agent is not invoked here."""
        found = self._services.catalog.directory.callables(name, self._code.package)
        if self._perform or not found or any(isinstance(one, ToolDefinition) for one in found):
            return ""
        kind = found[0].file.kind.value
        return f"{name} is no tool: this code invokes tools only. Use queue_tool, and the thread calls the {kind}."

    async def _update_context(self, params: Mapping[str, object]) -> object:
        context.update(self._context, params)
        return None


class _InCode(Bench):
    """The setting of what such code invokes: the thread's methods, and the hooks that watch the code."""

    def __init__(
        self,
        work: Work,
        code: Definition,
        methods: Mapping[str, StateMethod],
        hooks: Hooks | None,
        perform: Callable[[Offer], Perform] | None,
    ) -> None:
        super().__init__(work.services.catalog)
        self._work = work
        self._code = code
        self._thread_methods = methods
        self._hooks = hooks
        self._perform = perform
        self.message_hooks = hooks or NoHooks()

    def find(self, name: str, origin: Origin) -> Offered | None:
        tool = super().find(name, origin)
        if tool is not None or self._perform is None:
            return tool
        offer = offer_to_code(self._work.services.catalog.directory, name, self._code.package)
        if offer is None or isinstance(offer.definition, ToolDefinition):
            return None
        return Offered(as_tool(offer), perform=self._perform(offer))

    def execution(self) -> Mapping[str, object] | None:
        return self._work.execution() if self._work.in_run else None

    def methods(self) -> Mapping[str, StateMethod]:
        return self._thread_methods

    def announced(self, call: RunningCall, progress: str | None) -> None:
        if self._hooks is not None:
            self._hooks.started(call, progress)

    async def settle(self, call: RunningCall, result: ToolResult) -> ToolResult:
        return result if self._hooks is None else await self._hooks.settle(call, result)
