"""A host whose tools are functions of the test: what a worker process does, without one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

from workbench.base.exact_json import JsonValue, dump, parse, parse_object
from workbench.base.ids import CallId
from workbench.domain.definitions import DefinitionFile, DefinitionKind, Dialect, Language, LoadedFile
from workbench.engine.ports import CallLink, HostAnswer, HostCall, Raised, Returned, StateError, Stopped

ToolBody = Callable[[CallLink, Mapping[str, JsonValue]], Awaitable[object]]


class ScriptedHost:
    """A ToolHost over functions. `define` adds a tool; its file is listed by `files`.

    A body gets the call's link and its arguments; what it returns becomes a `text` or `json` result, what it raises an
    error result, and a HostAnswer is passed on as it is.
    """

    def __init__(self) -> None:
        self._raw: dict[str, Mapping[str, object]] = {}
        self._kinds: dict[str, DefinitionKind] = {}
        self._bodies: dict[str, ToolBody] = {}
        self._running: dict[CallId, asyncio.Task[HostAnswer]] = {}
        self.predicate: Callable[[], Awaitable[HostAnswer]] = _says_yes
        """What `evaluate` answers."""
        self.calls: list[HostCall] = []
        """Every call that reached the host, oldest first."""

    def define(
        self,
        name: str,
        body: ToolBody,
        *,
        schema: Mapping[str, object] | None = None,
        **fields: object,
    ) -> None:
        """Add a tool under `agents/tools`; `fields` are the raw form's, camelCase."""
        self._bodies[name] = body
        self._raw[name] = {
            "kind": "tool",
            "line": 1,
            "fields": {"description": f"The tool {name}.", **fields},
            "schemas": {} if schema is None else {"args": {"source": "model", "schema": schema}},
            "execute": {"async": True, "parameters": 2, "line": 1},
        }

    def add(
        self,
        kind: DefinitionKind,
        stem: str,
        fields: Mapping[str, object],
        body: ToolBody | None = None,
        *,
        schemas: Mapping[str, object] | None = None,
    ) -> None:
        """Add a definition of another kind; the body of a hook or handler gets its values as the list `given`."""
        if body is not None:
            self._bodies[stem] = body
        self._kinds[stem] = kind
        self._raw[stem] = {
            "kind": kind.value,
            "line": 1,
            "fields": fields,
            "schemas": schemas or {},
            "execute": {"async": True, "parameters": 2, "line": 1} if body is not None else None,
        }

    def schemas(self, stem: str, schemas: Mapping[str, object]) -> None:
        """Give a definition that was added these schemas."""
        self._raw[stem] = {**self._raw[stem], "schemas": schemas}

    def files(self) -> tuple[DefinitionFile, ...]:
        """What discovery would find."""
        return tuple(
            DefinitionFile(
                path=f"agents/{self._kind(name)}s/{name}.py",
                kind=self._kind(name),
                dialect=Dialect.STANDARD_AGENTS,
                language=Language.PYTHON,
                name=name,
                digest=f"digest of {name}",
            )
            for name in self._raw
        )

    def _kind(self, name: str) -> DefinitionKind:
        return self._kinds.get(name, DefinitionKind.TOOL)

    async def load(self, files: Sequence[DefinitionFile]) -> AsyncIterator[LoadedFile]:
        for file in files:
            yield LoadedFile(file=file, raw=self._raw[file.name], depends_on=(file.path,))

    async def call(self, call: HostCall, link: CallLink) -> HostAnswer:
        self.calls.append(call)
        task = asyncio.ensure_future(self._run(call, link))
        self._running[call.call_id] = task
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                return Stopped(("scripted tool",))
            task.cancel()
            raise
        finally:
            del self._running[call.call_id]

    async def _run(self, call: HostCall, link: CallLink) -> HostAnswer:
        is_list = call.file.kind in (DefinitionKind.HOOK, DefinitionKind.HANDLER)
        arguments = {"given": parse(call.arguments)} if is_list else parse_object(call.arguments)
        try:
            value = await self._bodies[call.file.name](link, arguments)
        except StateError as error:
            return Raised("tool_error", error.type, error.message)
        except (ValueError, RuntimeError) as error:
            return Raised("tool_error", type(error).__name__, str(error))
        return _answered(value)

    async def evaluate(self, file: DefinitionFile, field: str, arguments: bytes) -> HostAnswer:
        return await self.predicate()

    async def stop(self, call_id: CallId) -> None:
        task = self._running.get(call_id)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def forget(self, paths: Sequence[str]) -> None:
        """Functions do not go stale."""

    async def close(self) -> None:
        for call_id in tuple(self._running):
            await self.stop(call_id)


async def _says_yes() -> HostAnswer:
    return Returned("json", json=b"true")


def _answered(value: object) -> HostAnswer:
    if isinstance(value, HostAnswer):
        return value
    if value is None:
        return Returned("none")
    if isinstance(value, str):
        return Returned("text", text=value.encode())
    return Returned("json", json=dump(value).encode())
