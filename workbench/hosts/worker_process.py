"""One worker process from start to end: its pipe, its output, the one job it has, and how it is put away."""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import cast

from workbench.domain.definitions import DefinitionFile
from workbench.engine.event_bound import EventBound
from workbench.engine.ports import CallLink, StateError
from workbench.hosts.answers import how_it_ended
from workbench.hosts.captured_output import CapturedOutput
from workbench.hosts.exposure import Exposure
from workbench.hosts.launching import CannotStartError, Launched, launch
from workbench.hosts.process_tree import end_below, end_marked, end_tree
from workbench.worker.channel import EVENTS_AHEAD, LONG_TEXT
from workbench.worker.frames import BY_FILE, Header, NoFrameError, Splitter, enclose, pack, read_left, unpack

_SECONDS_TO_START = 30.0
_SECONDS_TO_LEAVE = 1.0
_SECONDS_TO_DRAIN = 0.2
_EVENTS_AT_ONCE = EVENTS_AHEAD // 2
_EVENT_PAUSE = 0.01
_RECEIVE_BYTES = 1 << 16


class WorkerGoneError(Exception):
    """The process ended while it had a job; `reason` says how, in words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class _Job:
    number: int
    link: CallLink | None
    done: asyncio.Future[tuple[Header, list[bytes]]]
    questions: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    emitted: EventBound = field(default_factory=EventBound)


class WorkerProcess(asyncio.BufferedProtocol):
    """Made by `start`. `run` gives it a job; when the process is gone, `gone` is set and the job raises."""

    def __init__(self, launched: Launched, exposure: Exposure, lane: Executor) -> None:
        self.loaded: dict[str, str] = {}
        """The digest of each definition file as this worker has loaded it."""
        self.files: set[str] = set()
        """Every project file whose change makes this worker stale."""
        self.changed: set[str] = set()
        """What changed in the project while this worker was busy."""
        self.is_worn = False
        """It must not get another call."""
        self.gone = asyncio.Event()
        self._process = launched.process
        self._mark = launched.mark
        self._exposure = exposure
        self._lane = lane
        self._loop = asyncio.get_running_loop()
        self._output = CapturedOutput(launched.stdout, launched.stderr)
        self._pidfd = os.pidfd_open(launched.process.pid)
        self._splitter = Splitter()
        self._received = bytearray(_RECEIVE_BYTES)
        self._transport: asyncio.Transport | None = None
        self._numbers = itertools.count(1)
        self._job: _Job | None = None
        self._is_connected = True
        self._cut_off_for = ""
        self._exit_status: int | None = None
        self._events = 0
        self._reading: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls, python: Path, project: Path, exposure: Exposure, lane: Executor, environment: Mapping[str, str]
    ) -> WorkerProcess:
        """A worker that has said it is ready. Raises CannotStartError."""
        loop = asyncio.get_running_loop()
        launching = loop.run_in_executor(lane, launch, python, project, exposure, environment)
        try:
            launched = await asyncio.shield(launching)
        except asyncio.CancelledError:
            with suppress(CannotStartError):
                await loop.run_in_executor(lane, (await launching).abandon)
            raise
        worker = cls(launched, exposure, lane)
        try:
            await worker._get_ready(launched.pipe, python)
        except BaseException:
            worker._leave_job()  # nobody waits for its being ready any more
            if not worker.gone.is_set():
                await asyncio.shield(worker.end())
            raise
        return worker

    async def _get_ready(self, pipe: socket.socket, python: Path) -> None:
        self._output.start()
        self._loop.add_reader(self._pidfd, self._on_exit)
        ready = self._expect(0, None)
        await self._loop.create_unix_connection(lambda: self, sock=pipe)
        try:
            async with asyncio.timeout(_SECONDS_TO_START):
                await ready
        except WorkerGoneError as error:
            said = self.stderr_tail.strip()
            reason = said.splitlines()[-1] if said else error.reason
            raise CannotStartError(f"The project's Python does not run tools: {python}: {reason}") from error
        except TimeoutError as error:
            raise CannotStartError(
                f"{python} did not get ready within {_SECONDS_TO_START:.0f} seconds."
            ) from error

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def stderr_tail(self) -> str:
        """The last that the job said on stderr."""
        return self._output.stderr_tail.decode("utf-8", "backslashreplace")

    def took(self, file: DefinitionFile) -> None:
        """Remember which version of which file it runs."""
        self.loaded[file.path] = file.digest
        self.files.add(file.path)

    async def run(
        self, request: Header, parts: Sequence[bytes] = (), link: CallLink | None = None
    ) -> tuple[Header, list[bytes]]:
        """Give the worker its one job; the answer. Raises WorkerGoneError when the process ends before it."""
        number = next(self._numbers)
        self._output.begin(link.log if link else None)
        done = self._expect(number, link)
        await self._send({**request, "id": number}, parts)
        try:
            header, answer = await done
        finally:
            self._output.end()
            self._leave_job()
        self.files.update(header.get("files", ()))
        if header["worn"] or header["children"]:
            self.is_worn = True
        return header, answer

    async def end_leftovers(self) -> tuple[str, ...]:
        """End what the job left running, one line each."""
        return await self._loop.run_in_executor(self._lane, end_below, self.pid)

    async def end_orphans(self) -> tuple[str, ...]:
        """End what this worker, now dead, had started, one line each."""
        return await self._loop.run_in_executor(self._lane, end_marked, self.pid, self._mark)

    async def end(self) -> tuple[str, ...]:
        """Kill the process with everything it started, and wait; one line for each descendant."""
        self.is_worn = True
        if self.gone.is_set():  # its number may belong to another process by now
            return await self.end_orphans()
        ended = await self._loop.run_in_executor(self._lane, end_tree, self.pid, self._mark)
        await self.gone.wait()
        return ended

    async def retire(self) -> None:
        """Let an idle worker leave by itself; end it if it will not."""
        self._disconnect()
        try:
            async with asyncio.timeout(_SECONDS_TO_LEAVE):
                await self.gone.wait()
        except TimeoutError:
            await self.end()

    def _expect(self, number: int, link: CallLink | None) -> asyncio.Future[tuple[Header, list[bytes]]]:
        done: asyncio.Future[tuple[Header, list[bytes]]] = self._loop.create_future()
        if self.gone.is_set():
            done.set_exception(WorkerGoneError(self._how_it_ended()))
        self._job = _Job(number, link, done)
        return done

    def _leave_job(self) -> None:
        job, self._job = self._job, None
        if job is None:
            return
        for question in job.questions:
            question.cancel()
        if job.link is not None and job.emitted.words:
            job.link.log("log", job.emitted.words)

    async def _send(self, header: Header, parts: Sequence[bytes]) -> None:
        payload = pack(header, parts)
        if len(payload) > BY_FILE:
            data = await self._loop.run_in_executor(self._lane, enclose, payload, str(self._exposure.big))
        else:
            data = enclose(payload, "")
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    # --- what the process says

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> bytearray:
        return self._received

    def buffer_updated(self, nbytes: int) -> None:
        self._output.drain()
        for payload, in_file in self._frames(nbytes):
            if in_file or self._reading is not None:
                self._reading = self._loop.create_task(self._read_later(self._reading, payload, in_file))
                self._reading.add_done_callback(partial(self._pass_failure_on, self._job))
            else:
                self._on_frame(*unpack(payload))

    def _frames(self, nbytes: int) -> Iterator[tuple[bytes, bool]]:
        try:
            yield from self._splitter.feed(memoryview(self._received)[:nbytes])
        except NoFrameError:
            self._cut_off("wrote into its connection to Workbench")

    async def _read_later(self, before: asyncio.Task[None] | None, payload: bytes, in_file: bool) -> None:
        """Fetch a payload from its file, in the order of arrival."""
        this = asyncio.current_task()
        if before is not None:
            await before
        if in_file:
            payload = await self._loop.run_in_executor(
                self._lane, read_left, payload, str(self._exposure.big)
            )
        if self._reading is this:
            self._reading = None
        self._on_frame(*unpack(payload))

    def connection_lost(self, exc: Exception | None) -> None:
        """The pipe's end is the worker's end, whatever closed it; a process that is leaving may do so."""
        self.is_worn = True
        self._is_connected = False
        if self._exit_status is None:
            self._loop.call_later(_SECONDS_TO_LEAVE, self._cut_off, "closed its connection to Workbench")
        else:
            self._leave()

    def _cut_off(self, why: str) -> None:
        if self._exit_status is None and not self._cut_off_for:
            self._cut_off_for = why
            self._process.kill()

    def _on_frame(self, header: Header, parts: list[bytes]) -> None:
        job = self._job
        if job is None:
            return
        match header["op"]:
            case "finished" if header["id"] == job.number and not job.done.done():
                job.done.set_result((header, parts))
            case "ready" if not job.done.done():
                job.done.set_result((header, parts))
            case "ask" if job.link is not None:
                question = self._loop.create_task(self._reply(job.link, header, parts))
                job.questions.add(question)
                question.add_done_callback(partial(self._pass_failure_on, job))
            case "emit" | "log" if job.link is not None:
                self._on_event(job, job.link, header, parts[0])
            case _:
                pass

    def _on_event(self, job: _Job, link: CallLink, header: Header, data: bytes) -> None:
        if header["op"] == "log":
            self._output.tell(data)
        elif job.emitted.admits(len(header["event"]) + len(data)):
            link.emit(header["event"], data.decode())
        self._events += 1
        if self._events >= _EVENTS_AT_ONCE:
            # The pause keeps a tool that emits without end from taking the engine's loop for itself.
            self._events = 0
            self._loop.call_later(_EVENT_PAUSE, self._allow_more_events)

    def _allow_more_events(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(enclose(pack({"op": "more", "events": _EVENTS_AT_ONCE}), ""))

    async def _reply(self, link: CallLink, header: Header, parts: list[bytes]) -> None:
        await self._send(*await _answered(link, header, parts))

    def _pass_failure_on(self, job: _Job | None, work: asyncio.Task[None]) -> None:
        """A link or a disk that fails is the failure of the one who runs the job."""
        if job is not None:
            job.questions.discard(work)
        if work.cancelled() or (error := work.exception()) is None:
            return
        if job is None or job.done.done():
            raise error
        job.done.set_exception(error)

    def _on_exit(self) -> None:
        """The process is dead, but what it sent last may still lie in the pipe."""
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        self._exit_status = self._process.wait()
        if self._is_connected:
            # Its end is seen when all was read, unless a forked child holds the other end open.
            self._loop.call_later(_SECONDS_TO_DRAIN, self._disconnect)
        else:
            self._leave()

    def _disconnect(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def _leave(self) -> None:
        """Dead and heard to the end."""
        self._output.drain()
        self.gone.set()
        if self._job is not None and not self._job.done.done():
            self._job.done.set_exception(WorkerGoneError(self._how_it_ended()))
        self._output.end()
        self._output.close()

    def _how_it_ended(self) -> str:
        if self._cut_off_for:
            return f"{self._cut_off_for}, and was ended"
        return how_it_ended(self._exit_status or 0)


async def _answered(link: CallLink, header: Header, parts: Sequence[bytes]) -> tuple[Header, list[bytes]]:
    long = zip(header["long"], parts, strict=True)
    params = {**header["params"], **{name: part.decode() for name, part in long}}
    answer: Header = {"op": "answer", "id": header["id"]}
    try:
        value = await link.ask(header["method"], params)
    except StateError as error:
        return {**answer, "refused": error.type, "message": error.message}, []
    if isinstance(value, str) and len(value) > LONG_TEXT:
        return answer, [value.encode()]
    return {**answer, "value": value}, []
