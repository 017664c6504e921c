"""A project of TypeScript files and the host that runs them."""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Sequence
from pathlib import Path

from tests.hosts.conftest import RecordingLink
from workbench.base.ids import CallId
from workbench.domain.definitions import DefinitionFile, DefinitionKind, Dialect, Language, LoadedFile
from workbench.engine.ports import HostAnswer, HostCall, Raised, Returned
from workbench.sandbox.sandbox import Sandbox
from workbench.sandbox.typescript_host import TypescriptHost

HEAD = "import { defineTool, type ThreadState } from '@standardagents/spec';\nimport { z } from 'zod';\n"
SDK_HEAD = "import { defineTool } from '@grok/agent-sdk/tools';\nimport { z } from 'zod';\n"


class TypescriptFolder:
    """Made on a running loop; `close` it."""

    def __init__(
        self,
        root: Path,
        *,
        allowed_hosts: Sequence[str] = (),
        import_seconds: float = 10.0,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.root = root
        self.sandbox = sandbox or Sandbox()
        self.allowed_hosts = list(allowed_hosts)
        self.host = TypescriptHost(
            root, self.sandbox, lambda: self.allowed_hosts, import_seconds=import_seconds
        )

    async def close(self) -> None:
        await self.host.close()
        await self.sandbox.close()

    def write(self, path: str, source: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(source), encoding="utf-8")
        return file

    def file(self, path: str, source: str) -> DefinitionFile:
        """A definition file with this text."""
        self.write(path, source)
        folder = path.split("/")[1]
        return DefinitionFile(
            path=path,
            kind=DefinitionKind(folder.removesuffix("s")),
            dialect=Dialect.AGENT_SDK if path.startswith("bot/") else Dialect.STANDARD_AGENTS,
            language=Language.TYPESCRIPT,
            name=path.rpartition("/")[2].partition(".")[0],
            digest=hashlib.sha256(source.encode()).hexdigest(),
        )

    def tool(self, name: str, fields: str, *, before: str = "") -> DefinitionFile:
        """A tool of `agents/tools` whose define call has these fields, behind the text `before`."""
        text = f"{HEAD}{before}\nexport default defineTool({{ description: 'x', {fields} }});\n"
        return self.file(f"agents/tools/{name}.ts", text)

    def bot_tool(self, name: str, fields: str, *, before: str = "") -> DefinitionFile:
        """Likewise a tool of `bot/tools`."""
        text = f"{SDK_HEAD}{before}\nexport default defineTool({{ description: 'x', {fields} }});\n"
        return self.file(f"bot/tools/{name}.ts", text)

    async def load(self, file: DefinitionFile) -> LoadedFile:
        (loaded,) = [item async for item in self.host.load([file])]
        return loaded

    async def call(
        self,
        file: DefinitionFile,
        arguments: object = None,
        link: RecordingLink | None = None,
        **identity: object,
    ) -> HostAnswer:
        call_id = CallId(f"tool_{file.name}_1")
        given: dict[str, object] = {
            "callId": call_id,
            "threadId": "t",
            "agentId": "a",
            "arguments": {},
            "createdAt": 1,
            **identity,
        }
        data = json.dumps({} if arguments is None else arguments).encode()
        return await self.host.call(HostCall(call_id, file, data, given), link or RecordingLink())

    async def value(
        self,
        file: DefinitionFile,
        arguments: object = None,
        link: RecordingLink | None = None,
        **identity: object,
    ) -> object:
        """What a call returned, as JSON or text."""
        answer = await self.call(file, arguments, link, **identity)
        assert isinstance(answer, Returned), answer
        return json.loads(answer.json) if answer.json is not None else answer.text.decode()

    async def raised(
        self, file: DefinitionFile, arguments: object = None, link: RecordingLink | None = None
    ) -> Raised:
        answer = await self.call(file, arguments, link)
        assert isinstance(answer, Raised), answer
        return answer
