"""The host of script tools: a copy in the call's folder runs there, JSON on stdin, the result from stdout (C14)."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import secrets
import selectors
import subprocess
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from workbench.base.exact_json import JsonError, parse
from workbench.base.ids import CallId
from workbench.engine.folders import SCRIPTS
from workbench.engine.ports import CallLink, HostAnswer, HostCall, Raised, Returned, Stopped, Unavailable
from workbench.hosts.captured_output import LOG_LIMIT
from workbench.hosts.process_tree import MARK, count_below, end_marked, end_tree

MOST_BYTES = 16 * 1024 * 1024
"""The longest result that is taken."""
MOST_PROCESSES = 256
"""So many processes of one script at once: with more it is ended, before the machine has no room for others."""
_COUNT_AFTER = 0.2
"""Seconds between two counts."""
_AT_ONCE = 16
_CHUNK = 1 << 16
_TAIL = 2_000
_SECONDS_AFTER = 0.3
"""How long what a script left running may still write, once the script itself has ended."""


@dataclass(slots=True)
class _Running:
    mark: str = field(default_factory=lambda: secrets.token_hex(8))
    work: Future[HostAnswer] | None = None
    pid: int | None = None
    is_stopping: bool = False
    ending: Future[tuple[str, ...]] | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class _Ended:
    """What a script came to."""

    code: int
    out: bytes
    tail: bytes
    left_behind: tuple[str, ...]
    too_much: bool
    too_many: bool = False


class ScriptHost:
    """Made and used on one event loop. Scripts inherit `environment` (X3)."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = dict(os.environ if environment is None else environment)
        self._lane = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="scripts")
        self._ending = ThreadPoolExecutor(2, thread_name_prefix="scripts-end")
        self._calls: dict[CallId, _Running] = {}

    async def call(self, call: HostCall, link: CallLink) -> HostAnswer:
        """Run one script to its end. Cancelling the task ends the whole process tree, too."""
        running = self._calls[call.call_id] = _Running()
        loop = asyncio.get_running_loop()

        def say(text: str) -> None:
            loop.call_soon_threadsafe(link.log, "stderr", text)

        running.work = self._lane.submit(self._run, call, running, say)
        work = asyncio.wrap_future(running.work)
        try:
            await asyncio.wait({work})
            if work.cancelled():  # it was stopped before its turn came
                return Stopped()
            await asyncio.sleep(0)  # what was said on the way is told before the answer
            return work.result()
        except asyncio.CancelledError:
            await self._end(running)
            await asyncio.wait({work})
            raise
        finally:
            del self._calls[call.call_id]
            running.over.set()

    async def stop(self, call_id: CallId) -> None:
        running = self._calls.get(call_id)
        if running is not None:
            await self._end(running)
            await running.over.wait()

    async def close(self) -> None:
        """End every process."""
        await asyncio.gather(*(self.stop(call_id) for call_id in tuple(self._calls)))
        self._lane.shutdown()
        self._ending.shutdown()

    async def _end(self, running: _Running) -> None:
        running.is_stopping = True
        if running.work is not None and running.work.cancel():
            return
        if running.pid is not None:
            if running.ending is None:
                running.ending = self._ending.submit(end_tree, running.pid, running.mark)
            await asyncio.wrap_future(running.ending)

    def _run(self, call: HostCall, running: _Running, say: Callable[[str], None]) -> HostAnswer:
        if running.is_stopping:
            return Stopped()
        try:
            process = self._started(call, running)
        except OSError as error:
            return Unavailable(
                f"The script cannot be run: {error.strerror or error}.",
                "Its first line names the program that runs it, such as #!/usr/bin/env python3.",
            )
        running.pid = process.pid
        if running.is_stopping and running.ending is None:  # it was asked to end while it began
            running.ending = self._ending.submit(end_tree, process.pid, running.mark)
        with process:
            ended = _Talk(process, call.arguments, say).to_its_end(running.mark)
        if running.is_stopping:
            named = running.ending.result() if running.ending is not None else ()
            return Stopped(
                (f"{call.file.name} (pid {process.pid})", *dict.fromkeys((*named, *ended.left_behind)))
            )
        return _answer(ended)

    def _started(self, call: HostCall, running: _Running) -> subprocess.Popen[bytes]:
        workspace = Path(str(call.identity["workspaceDir"]))
        script = workspace / SCRIPTS / call.file.name
        workspace.mkdir(0o700, exist_ok=True)  # the folder of one call alone is made by whoever uses it first
        script.parent.mkdir(exist_ok=True)
        text = call.script or ""
        script.unlink(missing_ok=True)  # it may run, and then cannot be written
        script.write_text(text if text.startswith("#!") else f"#!/bin/sh\n{text}", "utf-8")
        script.chmod(0o700)
        while True:
            try:
                return subprocess.Popen(
                    [str(script)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd=workspace,
                    env={**self._environment, MARK: running.mark},
                    start_new_session=True,
                )
            except OSError as error:
                # Another thread that starts a process just now holds the file open for a moment.
                if error.errno != errno.ETXTBSY or running.is_stopping:
                    raise
                time.sleep(0.01)


class _Talk:
    """What goes into a script and comes out of it, until it has ended; blocking."""

    def __init__(self, process: subprocess.Popen[bytes], given: bytes, say: Callable[[str], None]) -> None:
        self._process = process
        self._given = memoryview(given)
        self._say = say
        self._out = bytearray()
        self._line = bytearray()
        self._said = 0
        self._tail = bytearray()
        self._counted_at = time.monotonic()
        self._too_many = False

    def to_its_end(self, mark: str) -> _Ended:
        process = self._process
        with selectors.DefaultSelector() as waiting:
            for pipe, event in (
                (process.stdin, selectors.EVENT_WRITE),
                (process.stdout, selectors.EVENT_READ),
                (process.stderr, selectors.EVENT_READ),
            ):
                if pipe is not None:
                    os.set_blocking(pipe.fileno(), False)
                    waiting.register(pipe, event)
            self._exchange(waiting)
        if self._too_many:
            end_tree(process.pid, mark)
        # Only now, when it is known who is left: what it started and did not wait for.
        left_behind = end_marked(process.pid, mark)
        if len(self._out) > MOST_BYTES:
            process.kill()
        code = process.wait()
        self._tell(b"", last=True)
        too_much = len(self._out) > MOST_BYTES
        return _Ended(code, bytes(self._out), bytes(self._tail), left_behind, too_much, self._too_many)

    def _exchange(self, waiting: selectors.BaseSelector) -> None:
        process, deadline = self._process, None
        while len(self._out) <= MOST_BYTES:
            reading = [key for key in waiting.get_map().values() if key.fileobj is not process.stdin]
            if not reading or (deadline is not None and time.monotonic() > deadline):
                return
            for key, _ in waiting.select(0.05):
                if key.fileobj is process.stdin:
                    self._give(waiting)
                elif not self._take(key):
                    waiting.unregister(key.fileobj)
            if self._is_a_bomb():
                return
            if deadline is None and process.poll() is not None:
                deadline = time.monotonic() + _SECONDS_AFTER

    def _is_a_bomb(self) -> bool:
        """Whether it has started more processes than a script may."""
        now = time.monotonic()
        if now - self._counted_at >= _COUNT_AFTER:
            self._counted_at = now
            self._too_many = count_below(self._process.pid) > MOST_PROCESSES
        return self._too_many

    def _give(self, waiting: selectors.BaseSelector) -> None:
        stdin = self._process.stdin
        if stdin is None:
            return
        try:
            self._given = self._given[os.write(stdin.fileno(), self._given[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # it does not read: that is its own affair
            self._given = self._given[:0]
        if not self._given:
            waiting.unregister(stdin)
            with contextlib.suppress(OSError):
                stdin.close()

    def _take(self, key: selectors.SelectorKey) -> bool:
        data = os.read(key.fd, _CHUNK)
        if key.fileobj is self._process.stdout:
            self._out += data
        elif data:
            self._tell(data)
        return bool(data)

    def _tell(self, data: bytes, *, last: bool = False) -> None:
        """Whole lines: half a secret could not be recognised and masked (V6)."""
        self._tail = (self._tail + data)[-_TAIL:]
        self._line += data
        end = len(self._line) if last else self._line.rfind(b"\n") + 1
        lines, self._line = bytes(self._line[:end]), self._line[end:]
        if lines and self._said <= LOG_LIMIT:
            self._said += len(lines)
            self._say(lines.decode(errors="replace"))


def _answer(ended: _Ended) -> HostAnswer:
    left = ended.left_behind
    if ended.too_many:
        words = f"The script had more than {MOST_PROCESSES} processes at once, and was ended with them."
        return Raised("tool_error", "ScriptError", words, left_behind=left)
    if ended.too_much:
        words = f"The script printed more than {MOST_BYTES // 1024**2} MB."
        return Raised("tool_error", "ScriptError", words, left_behind=left)
    if ended.code != 0:
        how = f"exit code {ended.code}" if ended.code > 0 else f"signal {-ended.code}"
        tail = ended.tail.decode(errors="replace").strip()
        words = f"The script ended with {how}{f': {tail}' if tail else '.'}"
        return Raised("tool_error", "ScriptError", words, left_behind=left)
    try:
        text = ended.out.decode()
    except UnicodeDecodeError as error:
        words = f"The script printed what is no UTF-8 text, at byte {error.start}."
        return Raised("tool_error", "ScriptError", words, left_behind=left)
    text = text.removesuffix("\n")
    if text.lstrip()[:1] in ("{", "["):
        with contextlib.suppress(JsonError):
            parse(text)
            return Returned("json", json=text.strip().encode(), left_behind=left)
    return Returned("text", text=text.encode(), left_behind=left)
