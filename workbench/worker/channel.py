"""The worker's end of the pipe: one thread reads it, any thread may write, and its end is the worker's end."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any

from workbench.worker.ending import end_everything
from workbench.worker.frames import Frame, Header, Splitter, enclose, pack, read_left, unpack

EVENTS_AHEAD = 256
"""How many events may be on their way before the one who emits them waits for the engine."""

LONG_TEXT = 1024
"""Texts of more characters than this are not escaped into the header."""

_SECONDS_TO_LEAVE = 0.5


class Channel:
    """`requests` gives what the engine asks for, None at the end; `ask` sends a question of the running call."""

    def __init__(self, descriptor: int, folder: str) -> None:
        self.requests: SimpleQueue[Frame | None] = SimpleQueue()
        os.set_inheritable(descriptor, False)
        self._socket = socket.socket(fileno=descriptor)
        self._folder = folder
        self._writing = threading.Lock()
        self._numbers = itertools.count(1)
        self._answers: dict[int, Future[Frame]] = {}
        self._events_ahead = threading.Semaphore(EVENTS_AHEAD)
        self.is_forked = False
        """This is a copy of the worker that an author's code forked: the pipe belongs to the original."""
        os.register_at_fork(after_in_child=self._on_fork)
        threading.Thread(target=self._read, name="workbench-pipe", daemon=True).start()

    def send(self, header: Header, parts: Sequence[bytes] = ()) -> None:
        if self.is_forked:
            raise RuntimeError("A forked process has no state; use it in the tool's own process.")
        data = enclose(pack(header, parts), self._folder)
        with self._writing:
            self._socket.sendall(data)

    def emit(self, header: Header, parts: Sequence[bytes] = ()) -> None:
        """Send what needs no answer; waits while too much of it is on its way."""
        self._events_ahead.acquire()
        self.send(header, parts)

    def ask(self, method: str, params: dict[str, Any]) -> Future[Frame]:
        """Ask the engine. Long texts of `params` travel as parts, named by `long`."""
        number = next(self._numbers)
        long = [name for name, value in params.items() if isinstance(value, str) and len(value) > LONG_TEXT]
        parts = [params.pop(name).encode() for name in long]
        answer: Future[Frame] = Future()
        self._answers[number] = answer
        self.send({"op": "ask", "id": number, "method": method, "params": params, "long": long}, parts)
        return answer

    def forget_answers(self) -> None:
        """The call is over: what it still waits for will not come."""
        for number in list(self._answers):
            self._answers.pop(number).cancel()

    def _on_fork(self) -> None:
        self.is_forked = True
        self._socket.close()

    def _read(self) -> None:
        try:
            with contextlib.suppress(OSError):
                self._read_frames()
        finally:
            self.requests.put(None)
            # An idle worker leaves by itself now. A busy one lost the engine that wanted its answer.
            threading.Event().wait(_SECONDS_TO_LEAVE)
            end_everything()

    def _read_frames(self) -> None:
        splitter = Splitter()
        while True:
            data = self._socket.recv(65536)
            if not data:
                return
            for payload, in_file in splitter.feed(data):
                header, parts = unpack(read_left(payload, self._folder) if in_file else payload)
                self._dispatch(header, parts)

    def _dispatch(self, header: Header, parts: list[bytes]) -> None:
        if header["op"] == "answer":
            answer = self._answers.pop(header["id"], None)
            if answer is not None:
                answer.set_result((header, parts))
        elif header["op"] == "more":
            for _ in range(header["events"]):
                self._events_ahead.release()
        else:
            self.requests.put((header, parts))
