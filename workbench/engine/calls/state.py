"""What the author's `state` can do while its call runs: each method served by the engine's own parts."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, JsonValue, dump, parse
from workbench.base.masker import MaskStream
from workbench.domain.calls import Call, FailureKind, Progress, ToolResult
from workbench.domain.tools import ToolDefinition
from workbench.engine.calls import context, record
from workbench.engine.calls.callers import session_auth
from workbench.engine.calls.code_runs import CodeRuns
from workbench.engine.calls.lookups import Lookups
from workbench.engine.calls.resolve import may_use, undeclared
from workbench.engine.calls.running import MAX_NESTING, RunningCall
from workbench.engine.calls.setting import StateMethod
from workbench.engine.calls.thread_state import ThreadState
from workbench.engine.catalog.fields import spelled
from workbench.engine.ports import StateError
from workbench.engine.services import Services

SAVE_EVERY = 0.25
"""Seconds after which what a long call emitted is on disk."""


class StateLink:
    """The CallLink of one running call."""

    def __init__(self, services: Services, call: RunningCall) -> None:
        self._services = services
        self._call = call
        self._streams: dict[str, MaskStream] = {}
        self._saving: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._code: CodeRuns | None = None
        """There once the tool has asked for something: it holds this link, and most calls ask for nothing."""

    @cached_property
    def _methods(self) -> Mapping[str, StateMethod]:
        call = self._call
        hooks = call.setting.message_hooks
        state = ThreadState(self._services, call.thread, call.layers, call.tool.variables, hooks)
        self._code = CodeRuns(self._services.code, lambda: self._services.variables.masker, self.log)
        return {
            **state.methods(),
            **Lookups(self._services.catalog.directory, call.tool.package).methods(),
            "queueTool": self._queue_tool,
            "invokeTool": self._invoke_tool,
            "updateContext": self._update_context,
            "connectionTools": self._connection_tools,
            "callConnection": self._call_connection,
            **self._code.methods(),
            **self._for_session(self._within_uses(call.setting.methods())),
        }

    def _within_uses(self, methods: Mapping[str, StateMethod]) -> Mapping[str, StateMethod]:
        """What the setting adds; a tool's `uses` hold in other threads, too (C4)."""
        in_thread = methods.get("inThread")
        if in_thread is None:
            return methods

        async def ask(params: Mapping[str, object]) -> object:
            method, name = params.get("ofMethod"), str(params.get("name", ""))
            if method in ("queueTool", "invokeTool") and not may_use(self._call.tool, name):
                words = undeclared(self._call.tool, name)
                if method == "queueTool":
                    raise StateError("PermissionError", words)
                return {"status": "error", "error": words, "failure": FailureKind.UNDECLARED_TARGET.value}
            return await in_thread(params)

        return {**methods, "inThread": ask}

    def _for_session(self, methods: Mapping[str, StateMethod]) -> Mapping[str, StateMethod]:
        """What the setting adds; a session that the call begins is for whom its own is, unless it says for whom."""
        send = methods.get("sendTo")
        if send is None:
            return methods

        async def for_it(params: Mapping[str, object]) -> object:
            return await send({**params, "auth": params.get("auth") or session_auth(self._call).to_json()})

        return {**methods, "sendTo": for_it}

    async def ask(self, method: str, params: Mapping[str, object]) -> object:
        """Serve one method; raises StateError to refuse."""
        serve = self._methods.get(method)
        if serve is None:
            name = spelled(method, self._call.tool.file.language)
            words = f"state has no method {name} outside a running thread: let an agent call the tool."
            raise StateError("AttributeError", words)
        try:
            return await serve(params)
        except UserError as error:
            raise StateError("RuntimeError", str(error)) from error

    def emit(self, event: str, data: str) -> None:
        """Record an event; `progress` moves the bar (C17)."""
        record.emitted(self._services, self._call, event, data)
        if event == "progress":
            progress = _progress(self._services.variables.masker.mask_json_text(data))
            if progress is not None:
                record.progressed(self._services, self._call, progress)
        self._save_soon()

    def log(self, stream: str, text: str) -> None:
        """Record what was printed, with secrets hidden even where one is split over two pieces."""
        masking = self._streams.setdefault(stream, MaskStream(self._services.variables.masker))
        masking.masker = self._services.variables.masker
        self._logged(stream, masking.feed(text))
        self._save_soon()

    def close(self) -> None:
        """The call ended, and what it ran beside it; give out what was held back."""
        if self._code is not None:
            self._code.close()
        for stream, masking in self._streams.items():
            self._logged(stream, masking.close())
        if self._saving is not None:
            self._saving.cancel()

    def _logged(self, stream: str, text: str) -> None:
        if text:
            record.logged(self._services, self._call, stream, text)

    def _save_soon(self) -> None:
        if self._saving is None:
            self._saving = asyncio.get_running_loop().call_later(SAVE_EVERY, self._save)

    def _save(self) -> None:
        self._saving = None
        task = asyncio.get_running_loop().create_task(self._save_now())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _save_now(self) -> None:
        # A store that refuses keeps nobody from running: the writes wait, and the end of the call tells.
        with contextlib.suppress(UserError):
            await record.save(self._services, self._call)

    # --- other tools (C4, C6) -------------------------------------------------------------------------------

    async def _queue_tool(self, params: Mapping[str, object]) -> object:
        name = str(params["name"])
        if not may_use(self._call.tool, name):
            raise StateError("PermissionError", undeclared(self._call.tool, name))
        return await self._call.turn.queue(self._call, name, str(params["argumentsJson"]).encode())

    async def _invoke_tool(self, params: Mapping[str, object]) -> object:
        if self._call.depth + 1 > MAX_NESTING:
            message = f"Calls are nested more than {MAX_NESTING} deep."
            return {"status": "error", "error": message}
        text = str(params["argumentsJson"]).encode()
        turn = self._call.turn
        call = await turn.invoke(self._call, str(params["name"]), text)
        return {**as_tool_result(call), "context": dict(turn.context)}

    # --- connections (H6) -----------------------------------------------------------------------------------

    async def _connection_tools(self, params: Mapping[str, object]) -> object:
        return sorted(self._tools_of(str(params["connection"])))

    async def _call_connection(self, params: Mapping[str, object]) -> object:
        connection, tool = str(params["connection"]), str(params["tool"])
        tools = self._tools_of(connection)
        if tool not in tools:
            raise StateError("LookupError", f"The connection {connection} has no tool {tool}.")
        text = str(params["argumentsJson"]).encode()
        call = await self._call.turn.invoke(self._call, tools[tool], text)
        result = call.result or ToolResult()
        if result.is_error:
            raise StateError("RuntimeError", result.text)
        return result.json_text if result.json_text is not None else dump(result.text)

    def _tools_of(self, connection: str) -> Mapping[str, str]:
        """The tools that a connection has now, with the names by which they are called here."""
        tools = {
            tool.file.name: tool.qualified_name
            for tool in self._services.catalog.directory.all(ToolDefinition)
            if tool.file.connection == connection
        }
        if not tools:
            raise StateError(
                "LookupError",
                f"There is no connection {connection} that is ready: it is named under [connections.{connection}] in"
                " workbench.toml, and its tools are listed once it is connected.",
            )
        return tools

    async def _update_context(self, params: Mapping[str, object]) -> object:
        context.update(self._call.turn.context, params)
        return None


def _progress(data: str) -> Progress | None:
    """What a `progress` event says; None when it says nothing a bar could show."""
    try:
        value = parse(data)
    except JsonError:
        return None
    if not isinstance(value, dict):
        return None
    current, total = _float(value.get("current")), _float(value.get("total"))
    percentage, message = _float(value.get("percentage")), value.get("message")
    if current is None and percentage is not None:
        current, total = percentage, 100.0
    shown = message if isinstance(message, str) else None
    if current is None and shown is None:
        return None
    return Progress(message=shown, current=current, total=total)


def _float(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def as_tool_result(call: Call) -> dict[str, object]:
    """A nested call's result as the author's ToolResult; `value` is the JSON text it returned."""
    result = call.result or ToolResult()
    answer: dict[str, object] = {"status": "error" if result.is_error else "success"}
    if result.is_error:
        answer["error"] = result.text
        answer["failure"] = result.failure.kind.value if result.failure else None
        answer["stack"] = result.failure.stack if result.failure else ""
    else:
        answer["result"] = result.text
    answer["attachments"] = [ref.to_json() for ref in result.attachments]
    return answer
