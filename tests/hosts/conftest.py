"""A project on disk, a host that runs it, and a call's link that records what reaches the engine."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import sys
import tempfile
import textwrap
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from workbench.base.ids import CallId
from workbench.domain.definitions import DefinitionFile, DefinitionKind, Dialect, Language, LoadedFile
from workbench.engine.ports import HostAnswer, HostCall, Raised, Returned
from workbench.hosts import pool
from workbench.hosts.python_host import PythonHost

Answerer = Callable[[str, Mapping[str, object]], object]


class RecordingLink:
    """Everything a call told the engine; `answer` decides what its questions get."""

    def __init__(self, answer: Answerer | None = None) -> None:
        self.asked: list[tuple[str, dict[str, object]]] = []
        self.emitted: list[tuple[str, object]] = []
        self.logged: list[tuple[str, str]] = []
        self.something_came = asyncio.Event()
        self.was_asked = asyncio.Event()
        self._answer = answer

    async def ask(self, method: str, params: Mapping[str, object]) -> object:
        self.asked.append((method, dict(params)))
        self.was_asked.set()
        answer = self._answer(method, params) if self._answer else None
        return await answer if asyncio.iscoroutine(answer) else answer

    def emit(self, event: str, data: str) -> None:
        self.emitted.append((event, json.loads(data)))
        self.something_came.set()

    def log(self, stream: str, text: str) -> None:
        self.logged.append((stream, text))
        self.something_came.set()

    def printed(self, stream: str = "stdout") -> str:
        return "".join(text for name, text in self.logged if name == stream)


def answer_after(event: asyncio.Event) -> Answerer:
    """Answers with None, once the event is set."""

    async def wait() -> None:
        await event.wait()

    return lambda method, params: wait()


class Bench:
    """One project and its host, with the words that tests need."""

    def __init__(self, root: Path, python: Path = Path(sys.executable), import_seconds: float = 10.0) -> None:
        self.root = root
        self.host = PythonHost(root, python, import_seconds=import_seconds)
        self._numbers = itertools.count(1)

    def write(self, path: str, source: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(source), encoding="utf-8")
        return file

    def tool(self, name: str, source: str, folder: str = "agents/tools") -> DefinitionFile:
        """A definition file; the usual imports are put before its source."""
        source = "from workbench.authoring import *\n" + textwrap.dedent(source).lstrip("\n")
        path = f"{folder}/{name}.py"
        if (self.root / path).exists() and (self.root / path).read_text() != source:
            path = f"{folder}/{name}_{next(self._numbers)}.py"  # a shared bench: every test has its own files
        return self.found(path, self.write(path, source).read_bytes())

    def found(self, path: str, content: bytes) -> DefinitionFile:
        return DefinitionFile(
            path=path,
            kind=DefinitionKind.TOOL,
            dialect=Dialect.AGENT_SDK if path.startswith("bot/") else Dialect.STANDARD_AGENTS,
            language=Language.PYTHON,
            name=Path(path).stem,
            digest=hashlib.sha256(content).hexdigest(),
        )

    async def load(self, *files: DefinitionFile) -> dict[str, LoadedFile]:
        async with aclosing(self.host.load(files)) as loaded:
            return {item.file.name: item async for item in loaded}

    def start(
        self,
        file: DefinitionFile,
        sent: bytes | Mapping[str, object] = b"{}",
        link: RecordingLink | None = None,
        **identity: object,
    ) -> tuple[CallId, asyncio.Task[HostAnswer]]:
        call_id = CallId(f"tool_{file.name}_{next(self._numbers)}")
        nested = bool(identity.pop("nested", False))
        arguments = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        known: dict[str, object] = {"callId": call_id, "threadId": "thread-1", "agentId": "bench", **identity}
        call = HostCall(call_id, file, arguments, known, nested)
        return call_id, asyncio.create_task(self.host.call(call, link or RecordingLink()))

    async def call(
        self,
        file: DefinitionFile,
        sent: bytes | Mapping[str, object] = b"{}",
        link: RecordingLink | None = None,
        **identity: object,
    ) -> HostAnswer:
        return await self.start(file, sent, link, **identity)[1]

    async def returned(
        self,
        file: DefinitionFile,
        sent: bytes | Mapping[str, object] = b"{}",
        link: RecordingLink | None = None,
    ) -> Returned:
        answer = await self.call(file, sent, link)
        assert isinstance(answer, Returned), answer
        return answer

    async def value(
        self,
        file: DefinitionFile,
        sent: bytes | Mapping[str, object] = b"{}",
        link: RecordingLink | None = None,
    ) -> object:
        """The JSON value, or the text, that the tool returned."""
        answer = await self.returned(file, sent, link)
        return json.loads(answer.json) if answer.json is not None else answer.text.decode()

    async def raised(
        self,
        file: DefinitionFile,
        sent: bytes | Mapping[str, object] = b"{}",
        link: RecordingLink | None = None,
    ) -> Raised:
        answer = await self.call(file, sent, link)
        assert isinstance(answer, Raised), answer
        return answer


@pytest.fixture(autouse=True)
def _spare_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """They start, and sooner than for people."""
    monkeypatch.setattr(pool, "SPARE_SECONDS", 0.1)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest_asyncio.fixture
async def bench(root: Path, temporary: Path) -> AsyncIterator[Bench]:
    """A bench whose host is closed afterwards, with nothing of it left on the machine."""
    made = Bench(root)
    yield made
    await made.host.close()
    assert not processes_of(root)
    assert not list(temporary.iterdir())


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which a host keeps its own: links for its workers, and values on their way."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bench]:
    """One bench for the tests of a module that do nothing to its workers."""
    made = Bench(tmp_path_factory.mktemp("shared"))
    yield made
    await made.host.close()


def processes_of(root: Path) -> list[str]:
    """Living processes that a host of this project started."""
    return [
        str(process)
        for process in psutil.process_iter(["cmdline", "status"])
        if str(root) in (process.info["cmdline"] or ()) and process.info["status"] != psutil.STATUS_ZOMBIE
    ]
