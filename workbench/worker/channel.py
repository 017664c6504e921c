"""The worker's end of the pipe: any thread may write, whoever waits reads, and its end is the worker's end."""

from __future__ import annotations

import itertools
import os
import select
import socket
import threading
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.worker.ending import end_everything
from workbench.worker.frames import Frame, Header, Splitter, enclose, pack, read_left, unpack

if TYPE_CHECKING:
    from concurrent.futures import Future

EVENTS_AHEAD = 256
"""How many events may be on their way before the one who emits them waits for the engine."""

LONG_TEXT = 1024
"""Texts of more characters than this are not escaped into the header."""

_SECONDS_TO_LEAVE = 0.5


class Channel:
    """`next_request` gives what the engine asks for; `ask` sends a question of the running call.

    Requests are read by the thread that wants them, so that a call wakes no other one. While the author's code
    waits for the engine, a thread of our own reads in its stead.
    """

    def __init__(self, descriptor: int, folder: str) -> None:
        os.set_inheritable(descriptor, False)
        self._socket = socket.socket(fileno=descriptor)
        self._folder = folder
        self._splitter = Splitter()
        self._reading = threading.Lock()
        self._writing = threading.Lock()
        self._is_over = False
        self._requests: deque[Frame] = deque()
        self._numbers = itertools.count(1)
        self._answers: dict[int, Future[Frame]] = {}
        self._events_ahead = threading.Semaphore(EVENTS_AHEAD)
        self._held_up: set[int] = set()
        """The threads that may not emit before the engine says so."""
        self._reader_is_wanted = threading.Semaphore(0)
        self.is_forked = False
        """This is a copy of the worker that an author's code forked: the pipe belongs to the original."""
        os.register_at_fork(after_in_child=self._on_fork)
        threading.Thread(target=self._watch, name="workbench-watch", daemon=True).start()
        threading.Thread(target=self._read_for_others, name="workbench-pipe", daemon=True).start()

    def is_wanted_within(self, seconds: float) -> bool:
        """Whether the engine says something in this time, or is gone."""
        try:
            return bool(self._requests or select.select([self._socket], [], [], seconds)[0])
        except (OSError, ValueError):  # the author's code closed the pipe
            return True

    def next_request(self) -> Frame | None:
        """Wait for what the engine asks for next; None when it is gone."""
        while not self._requests and not self._is_over:
            with self._reading:
                if not self._requests:
                    self._read()
        return self._requests.popleft() if self._requests else None

    def send(self, header: Header, parts: Sequence[bytes] = ()) -> None:
        if self.is_forked:
            raise RuntimeError("A forked process has no state; use it in the tool's own process.")
        data = enclose(pack(header, parts), self._folder)
        with self._writing:
            self._socket.sendall(data)

    def emit(self, header: Header, parts: Sequence[bytes] = ()) -> None:
        """Send what needs no answer; waits while too much of it is on its way."""
        if not self._events_ahead.acquire(blocking=False):
            me = threading.get_ident()
            self._held_up.add(me)
            self._reader_is_wanted.release()
            self._events_ahead.acquire()
            self._held_up.discard(me)
        self.send(header, parts)

    def ask(self, method: str, params: dict[str, Any]) -> Future[Frame]:
        """Ask the engine. Long texts of `params` travel as parts, named by `long`."""
        from concurrent.futures import Future

        number = next(self._numbers)
        long = [name for name, value in params.items() if isinstance(value, str) and len(value) > LONG_TEXT]
        parts = [params.pop(name).encode() for name in long]
        answer: Future[Frame] = Future()
        self._answers[number] = answer
        self.send({"op": "ask", "id": number, "method": method, "params": params, "long": long}, parts)
        self._reader_is_wanted.release()
        return answer

    def forget_answers(self) -> None:
        """The call is over: what it still waits for will not come."""
        for number in list(self._answers):
            self._answers.pop(number).cancel()

    def _on_fork(self) -> None:
        self.is_forked = True
        self._socket.close()

    def _watch(self) -> None:
        """End everything when the engine is gone, whatever the author's code is doing."""
        poll = select.poll()
        poll.register(
            self._socket, select.POLLRDHUP
        )  # no other event, or each request would wake this thread
        poll.poll()
        # An idle worker leaves by itself now. A busy one lost the engine that wanted its answer.
        threading.Event().wait(_SECONDS_TO_LEAVE)
        end_everything()

    def _read_for_others(self) -> None:
        while not self._is_over:
            self._reader_is_wanted.acquire()
            while (self._answers or self._held_up) and not self._is_over:
                with self._reading:
                    if self._answers or self._held_up:
                        self._read()

    def _read(self) -> None:
        """Take what the engine says next to whom it may concern. Whoever calls this holds `_reading`."""
        try:
            data = self._socket.recv(65536)
        except OSError:
            data = b""
        if not data:
            self._is_over = True
        for payload, in_file in self._splitter.feed(data):
            header, parts = unpack(read_left(payload, self._folder) if in_file else payload)
            if header["op"] == "answer":
                answer = self._answers.pop(header["id"], None)
                if answer is not None:
                    answer.set_result((header, parts))
            elif header["op"] == "more":
                for _ in range(header["events"]):
                    self._events_ahead.release()
            else:
                self._requests.append((header, parts))
