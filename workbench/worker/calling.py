"""Running the author's function: what it gets, how it is awaited, and what becomes of what it gives."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.authoring.definition import Definition
from workbench.worker.asking import Asking
from workbench.worker.channel import Channel
from workbench.worker.context import Context, Identity
from workbench.worker.describing import is_async, positional_count
from workbench.worker.exact_json import from_json
from workbench.worker.faults import raised
from workbench.worker.loading import Loader, LoadError
from workbench.worker.records import records
from workbench.worker.returning import Answer, returned
from workbench.worker.schemas import ArgumentsRefused, input_model, parsed
from workbench.worker.state import State

if TYPE_CHECKING:
    import asyncio


class Code:
    """A loaded definition with what its calls need, found out once."""

    def __init__(self, definition: Definition, dialect: str) -> None:
        self.dialect = dialect
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

    def values(self, arguments: bytes) -> list[Any]:
        """What `execute` gets behind the state: a hook or a handler each value of a list, others one object."""
        if self._definition.kind in ("hook", "handler"):
            return records(from_json(arguments))
        return [parsed(arguments, self.model)]


class Caller:
    """Calls functions of definitions, one at a time, in the thread that asks for it."""

    def __init__(self, channel: Channel, loader: Loader) -> None:
        self._channel = channel
        self._loader = loader
        self._loaded: dict[str, Code] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def call(self, path: str, dialect: str, arguments: bytes, identity: dict[str, Any]) -> Answer:
        """Run `execute` (D4) and answer with what it returned or raised."""

        asking = Asking(self._channel)

        def positional(code: Code, awaited: bool) -> list[Any]:
            asking.awaited = awaited
            who = Identity(identity)
            if dialect == "agent-sdk":
                return [parsed(arguments, code.model), Context(who, asking)]
            states.append(State(who, asking))
            return [states[0], *code.values(arguments)]

        states: list[State] = []
        try:
            answer = self._answer(path, dialect, "execute", positional)
            return self._shared(states[0], answer) if states else answer
        finally:
            asking.is_over = True

    def _shared(self, state: State, answer: Answer) -> Answer:
        """The answer of a call, with what it left in the context on its way."""
        if self._channel.is_forked:
            return answer
        try:
            state.share_context()
        except Exception as error:  # a mapping of the author's own that fails
            return raised(error, self._loader.root), []
        return answer

    def evaluate(self, path: str, dialect: str, field: str, arguments: bytes) -> Answer:
        """Call a function-valued field with the input."""
        return self._answer(path, "", field, lambda code, _: [parsed(arguments, code.model)], dialect)

    def _answer(
        self,
        path: str,
        shape_as: str,
        field: str,
        positional: Callable[[Code, bool], list[Any]],
        dialect: str = "",
    ) -> Answer:
        root = self._loader.root
        try:
            code = self._code(path, dialect or shape_as)
            function, awaited, count = code.function(field)
            arguments = positional(code, awaited)
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

    def _code(self, path: str, dialect: str) -> Code:
        if path not in self._loaded:
            self._loaded[path] = Code(self._loader.definition(path), dialect)
        return self._loaded[path]

    def _run(self, function: Callable[..., Any], arguments: list[Any]) -> Any:
        value = function(*arguments)
        return self._completed(value) if inspect.isawaitable(value) else value

    def _completed(self, awaitable: Any) -> Any:
        """Await on the worker's one loop, so that what a module keeps between calls stays on its loop."""
        import asyncio

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
    import asyncio

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
