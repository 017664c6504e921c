"""The `state` of code that runs beside tools (hooks, handlers, effects): a thread's methods without a call's."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from functools import cached_property

from workbench.base.errors import UserError
from workbench.base.ids import new_call_id, uuid7
from workbench.domain.calls import CallRequest, Origin
from workbench.domain.definitions import Definition
from workbench.domain.events import CodeEmitted, CodeLogged
from workbench.domain.threads import Inbound
from workbench.domain.writes import AppendEvent, PutInbound
from workbench.engine.calls.setting import Bench, NoHooks, StateMethod
from workbench.engine.calls.state import as_tool_result
from workbench.engine.calls.thread_state import ThreadState
from workbench.engine.calls.turn import Turn
from workbench.engine.ports import StateError
from workbench.engine.threads.work import Work


class CodeLink:
    """The CallLink of one run of a hook, a handler or an effect. `wake` starts the thread when a tool was queued.

    What it writes does not run hooks again, or one could set itself off without end.
    """

    def __init__(
        self, work: Work, code: Definition, methods: Mapping[str, StateMethod], wake: Callable[[], None]
    ) -> None:
        self._work = work
        self._services = work.services
        self._code = code
        self._more = methods
        self._wake = wake
        self._layers = work.layers(work.agent(), {})
        self._keeping: set[asyncio.Task[None]] = set()

    @cached_property
    def _methods(self) -> Mapping[str, StateMethod]:
        state = ThreadState(self._services, self._work.thread, self._layers, self._code.variables, NoHooks())
        return {
            **state.methods(),
            "queueTool": self._queue_tool,
            "invokeTool": self._invoke_tool,
            **self._more,
        }

    async def ask(self, method: str, params: Mapping[str, object]) -> object:
        """Serve one method; raises StateError to refuse."""
        serve = self._methods.get(method)
        if serve is None:
            raise StateError("AttributeError", f"state has no method {method} here.")
        try:
            return await serve(params)
        except UserError as error:
            raise StateError("RuntimeError", str(error)) from error

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
        self._tell(
            CodeLogged(
                thread_id=self._work.thread.id,
                at=self._services.clock.now_us(),
                source=self._code.name,
                stream=stream,
                text=self._services.variables.masker.mask(text),
            )
        )

    def _tell(self, event: CodeEmitted | CodeLogged) -> None:
        self._services.bus.publish(event)
        task = asyncio.get_running_loop().create_task(self._keep(event))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    async def _keep(self, event: CodeEmitted | CodeLogged) -> None:
        with contextlib.suppress(UserError):  # whoever watches has been told
            await self._services.store.commit(AppendEvent(event), flush=False)

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
        setting = Bench(self._services.catalog)
        turn = Turn(self._services, work.thread, self._layers, work.runtime.live, setting)
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
        return as_tool_result(call.record)
