"""Running the author's function: what it gets, how it is awaited, and what becomes of what it gives."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable
from typing import Any

from workbench.authoring.definition import Definition
from workbench.worker.asking import Asking
from workbench.worker.channel import Channel
from workbench.worker.describing import is_async, positional_count
from workbench.worker.exact_json import from_json
from workbench.worker.faults import raised
from workbench.worker.loading import Loader, LoadError
from workbench.worker.returning import Answer, returned
from workbench.worker.schemas import ArgumentsRefused, input_model, parsed
from workbench.worker.state import Context, Identity, State, records


class Tool:
    """A loaded definition with what its calls need, found out once."""

    def __init__(self, definition: Definition, dialect: str) -> None:
        self.dialect = dialect
        self.is_beside_tools = definition.kind in ("hook", "handler")
        """Its arguments are a list of records and other values, one for each parameter after the state."""
        self.model = input_model(definition, dialect)
        self._definition = definition
        self._functions: dict[str, tuple[Callable[..., Any], bool, int]] = {}

    def function(self, field: str) -> tuple[Callable[..., Any], bool, int]:
        """A function-valued field by its name on the wire: function, is it async, how many arguments it takes."""
        if field not in self._functions:
            function = self._definition.fields.get(re.sub("(?=[A-Z])", "_", field).lower())
            if not callable(function):
                raise TypeError(f"The definition has no function {field}.")
            self._functions[field] = (function, is_async(function), positional_count(function))
        return self._functions[field]


class Caller:
    """Calls functions of definitions, one at a time, in the thread that asks for it."""

    def __init__(self, channel: Channel, loader: Loader) -> None:
        self._channel = channel
        self._loader = loader
        self._tools: dict[str, Tool] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def call(self, path: str, dialect: str, arguments: bytes, identity: dict[str, Any]) -> Answer:
        """Run `execute` (D4) and answer with what it returned or raised."""

        asking = Asking(self._channel)

        def positional(tool: Tool, awaited: bool) -> list[Any]:
            asking.awaited = awaited
            who = Identity(identity)
            if dialect == "agent-sdk":
                return [parsed(arguments, tool.model), Context(who, asking)]
            if tool.is_beside_tools:
                return [State(who, asking), *records(from_json(arguments))]
            return [State(who, asking), parsed(arguments, tool.model)]

        try:
            return self._answer(path, dialect, "execute", positional)
        finally:
            asking.is_over = True

    def evaluate(self, path: str, dialect: str, field: str, arguments: bytes) -> Answer:
        """Call a function-valued field with the input."""
        return self._answer(path, "", field, lambda tool, _: [parsed(arguments, tool.model)], dialect)

    def _answer(
        self,
        path: str,
        shape_as: str,
        field: str,
        positional: Callable[[Tool, bool], list[Any]],
        dialect: str = "",
    ) -> Answer:
        root = self._loader.root
        try:
            tool = self._tool(path, dialect or shape_as)
            function, awaited, count = tool.function(field)
            arguments = positional(tool, awaited)
        except LoadError as error:
            return _load_error(error), []
        except ArgumentsRefused as error:
            return raised(error, root, "invalid_arguments"), []
        except Exception as error:
            return raised(error, root), []
        try:
            value = self._run(function, arguments[:count])
        except BaseException as error:  # sys.exit and interrupts end the author's call, not the worker
            return raised(error, root), []
        try:
            return returned(value, shape_as)
        except Exception as error:  # not JSON, or a mapping of the author's own that fails
            return raised(error, root), []

    def _tool(self, path: str, dialect: str) -> Tool:
        if path not in self._tools:
            self._tools[path] = Tool(self._loader.definition(path), dialect)
        return self._tools[path]

    def _run(self, function: Callable[..., Any], arguments: list[Any]) -> Any:
        value = function(*arguments)
        return self._completed(value) if inspect.isawaitable(value) else value

    def _completed(self, awaitable: Any) -> Any:
        """Await on the worker's one loop, so that what a module keeps between calls stays on its loop."""
        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        try:
            return self._loop.run_until_complete(_outcome(awaitable))
        finally:
            _cancel_leftovers(self._loop)


async def _outcome(awaitable: Any) -> Any:
    return await awaitable


def _cancel_leftovers(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    if tasks and not loop.is_closed():
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


def _load_error(error: LoadError) -> dict[str, Any]:
    return {
        "answer": "raised",
        "kind": "load_error",
        "type": error.problem["code"],
        "message": str(error),
        "stack": error.stack,
        "transient": False,
    }
