"""Agents over a rig: prompts, scripted models and tools in a line each, and what was said in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from tests.engine.rig import GatedModels, Rig
from workbench.base.exact_json import JsonValue
from workbench.domain.definitions import DefinitionKind
from workbench.domain.threads import Message, Thread
from workbench.engine.engine import Engine
from workbench.engine.ports import CallLink
from workbench.engine.threads.family import NewThread
from workbench.models import Script

HookBody = Callable[[Any], object] | Callable[[Any, Any], object]


class ThreadRig:
    """What a test of threads works with."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.host = rig.host
        models = rig.engine.services.models
        assert isinstance(models, GatedModels)
        self.models = models

    @property
    def engine(self) -> Engine:
        return self.rig.engine

    def tool(self, name: str, body: Callable[[Mapping[str, Any]], object], **fields: Any) -> None:
        """A tool over a plain function of its arguments."""

        async def call(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
            del link
            return body(arguments)

        self.host.define(name, call, **{"schema": {"type": "object"}, **fields})

    def hook(self, id: str, moment: str, body: HookBody) -> None:
        """A hook over a plain function of what it is given behind the state."""

        async def call(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
            del link
            given = cast("list[Any]", arguments["given"])
            return cast("Callable[..., object]", body)(*given)

        self.host.add(DefinitionKind.HOOK, f"hook_{id}", {"hook": moment, "id": id}, call)

    async def heard(self, thread: Thread) -> None:
        """Return when the hooks that are only told of something have run."""
        await (await self.engine.threads.work_of(thread.id)).observers.heard()

    def model(self, name: str, script: Sequence[Mapping[str, Any]], **fields: Any) -> None:
        """A scripted model; each step as a script file has it."""
        self.models.add(name, Script.model_validate({"steps": list(script), "strict": True}))
        fields = {"name": name, "provider": "scripted", "model": name, **fields}
        self.host.add(DefinitionKind.MODEL, f"model_{name}", fields)

    def prompt(
        self,
        name: str,
        *,
        script: Sequence[Mapping[str, Any]] | None = None,
        schema: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> None:
        """A prompt; with a script also the model that it names."""
        if script is not None:
            self.model(f"{name}_model", script)
        fields = {
            "name": name,
            "toolDescription": f"The prompt {name}.",
            "prompt": f"You are {name}.",
            "model": f"{name}_model",
            **fields,
        }
        schemas = {} if schema is None else {"requiredSchema": {"source": "plain", "schema": schema}}
        self.host.add(DefinitionKind.PROMPT, f"prompt_{name}", fields, schemas=schemas)

    def agent(
        self,
        name: str,
        *,
        script: Sequence[Mapping[str, Any]] | None = None,
        tools: Sequence[object] = (),
        side: Mapping[str, Any] | None = None,
        prompt: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> None:
        """An agent whose side a is a prompt of its own and whose side b is a person, unless `fields` say otherwise."""
        if script is not None:
            self.prompt(f"{name}_prompt", script=script, tools=list(tools), **(prompt or {}))
        side_a = {"prompt": f"{name}_prompt", **(side or {})}
        fields = {"name": name, "sideA": side_a, "sideB": {"human": True}, **fields}
        self.host.add(DefinitionKind.AGENT, f"agent_{name}", fields)

    async def start(self, agent: str, **arguments: object) -> Thread:
        await self.rig.load()
        return await self.engine.threads.start(NewThread(agent, arguments))

    async def talk(self, agent: str, *words: str) -> Thread:
        """A thread in which a person says these things, each when the one before was answered."""
        thread = await self.start(agent)
        for said in words:
            thread = await self.say(thread, said)
        return thread

    async def say(self, thread: Thread, words: str) -> Thread:
        await self.engine.threads.send(thread.id, words)
        return await self.engine.threads.parked(thread.id)

    async def messages(self, thread: Thread) -> Sequence[Message]:
        return await self.rig.store.history(thread.id)

    async def said(self, thread: Thread) -> list[str]:
        """Each message in a line: whose it is and what it says or calls."""
        lines: list[str] = []
        for message in await self.messages(thread):
            calls = [f"{call.name} {call.arguments}" for call in message.tool_calls]
            lines.append(f"{message.role.value}: {' | '.join(filter(None, [message.content, *calls]))}")
        return lines

    def prompts_schema(self, name: str, schema: Mapping[str, Any]) -> None:
        """Give a prompt that is there the schema of its arguments."""
        self.host.schemas(f"prompt_{name}", {"requiredSchema": {"source": "plain", "schema": schema}})

    async def until_said(self, thread: Thread, words: str) -> None:
        """Return when somebody in the thread has said this."""
        async with asyncio.timeout(30):
            while not any(message.content == words for message in await self.messages(thread)):
                await self.rig.next_event()
