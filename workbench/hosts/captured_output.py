"""What a call prints: read straight from the pipes, so that a crash loses nothing and order needs no round trip.

The worker flushes before it answers, so whatever is in the pipes when an answer arrives belongs before it.
What is too much is cut at a line's end, and a line that was cut off is dropped: a part of a secret could not
be recognised by whoever masks it (V6).
"""

from __future__ import annotations

import asyncio
import codecs
import os
import select
from collections.abc import Callable

LogSink = Callable[[str, str], None]

LOG_LIMIT = 1 << 20
"""Bytes that one call may print and log; the rest is counted and dropped."""

_CHUNK = 1 << 16
_PARTIAL_LINE_SECONDS = 0.1
_THROTTLED_SECONDS = 0.02
_THROTTLED_CHUNKS = 8
_TAIL = 1 << 14


class CapturedOutput:
    """Both streams of one worker. Between calls what they say is dropped."""

    def __init__(self, stdout: int, stderr: int) -> None:
        self._streams = {
            stdout: _Stream("stdout", stdout, self),
            stderr: _Stream("stderr", stderr, self),
        }
        self._poll = select.poll()  # asks both pipes at once: most calls print nothing
        for descriptor in self._streams:
            self._poll.register(descriptor, select.POLLIN)
        self._sink: LogSink | None = None
        self._kept = 0
        self._dropped = 0
        self._stderr_tail = b""

    def start(self) -> None:
        for stream in self._streams.values():
            stream.listen()

    def begin(self, sink: LogSink | None) -> None:
        """From now on output belongs to this call; without a sink only the tail of stderr is kept."""
        self._sink = sink
        self._kept = self._dropped = 0
        self._stderr_tail = b""

    def drain(self) -> None:
        """Take in everything that lies in the pipes now."""
        for descriptor, _ in self._poll.poll(0):
            self._streams[descriptor].drain()

    def end(self) -> None:
        """The call is over: hand out what is still held back, and say what was dropped."""
        for stream in self._streams.values():
            stream.release(whole=True)
        if self._dropped and self._sink:
            self._sink("log", f"… {self._dropped:,} more bytes of output were not kept.\n")
        self._sink = None

    def close(self) -> None:
        for stream in self._streams.values():
            stream.close()

    def closed(self, descriptor: int) -> None:
        """Every writer of the pipe is gone, and so is the pipe."""
        self._poll.unregister(descriptor)

    @property
    def stderr_tail(self) -> bytes:
        """The last whole lines of stderr, together at most 16 KiB."""
        if len(self._stderr_tail) <= _TAIL:
            return self._stderr_tail
        return self._stderr_tail.partition(b"\n")[2]

    @property
    def is_full(self) -> bool:
        """Whether something was dropped already; then nothing more is logged."""
        return self._dropped > 0

    def admit(self, name: str, data: bytes) -> bytes:
        """The part of `data` that may still be logged: all of it, or its whole lines that fit."""
        if name == "stderr":
            self._stderr_tail = (self._stderr_tail + data)[-_TAIL - 1 :]
        if self._sink is None:
            return b""
        room = 0 if self.is_full else LOG_LIMIT - self._kept
        admitted = data if len(data) <= room else data[: data.rfind(b"\n", 0, room) + 1]
        self._kept += len(admitted)
        self.drop(len(data) - len(admitted))
        return admitted

    def tell(self, data: bytes) -> None:
        """What the tool's own log method said; it counts with what was printed."""
        admitted = self.admit("log", data)
        if admitted:
            self.log("log", admitted.decode())

    def drop(self, size: int) -> None:
        """So many bytes are not logged."""
        self._dropped += size

    def log(self, name: str, text: str) -> None:
        if self._sink:
            self._sink(name, text)


class _Stream:
    """One pipe: undecodable bytes become escapes, lines stay whole unless they keep one waiting."""

    def __init__(self, name: str, descriptor: int, output: CapturedOutput) -> None:
        os.set_blocking(descriptor, False)
        self._name = name
        self._descriptor = descriptor
        self._output = output
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._held = ""
        self._is_silent = True
        self._timer: asyncio.TimerHandle | None = None
        self._open = True

    def listen(self) -> None:
        if self._open:
            asyncio.get_running_loop().add_reader(self._descriptor, self._readable)

    def close(self) -> None:
        if self._open:
            self._open = False
            self._output.closed(self._descriptor)
            self._cancel_timer()
            asyncio.get_running_loop().remove_reader(self._descriptor)
            os.close(self._descriptor)

    def drain(self) -> None:
        # A pipe holds one chunk; twice that leaves room for a child that goes on writing, but not for ever.
        for _ in range(2):
            if not self._read():
                return

    def release(self, *, whole: bool) -> None:
        """Log what is held, up to the last line end, or all of it; but not a line whose rest was dropped."""
        if self._is_silent:  # as most calls are
            return
        self._is_silent = whole
        self._cancel_timer()
        text = self._held + (self._decoder.decode(b"", final=True) if whole else "")
        end = text.rfind("\n") + 1
        if self._output.is_full:
            self._output.drop(len(text[end:].encode()))
            text = text[:end]
        if whole:
            end = len(text)
        self._held = text[end:]
        if end:
            self._output.log(self._name, text[:end])
        if self._held:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(_PARTIAL_LINE_SECONDS, self._release_partial)

    def _release_partial(self) -> None:
        self._timer = None
        if self._output.is_full:
            return
        text, self._held = self._held, ""
        self._output.log(self._name, text)

    def _readable(self) -> None:
        self._read()
        if self._open and self._output.is_full:
            # A flood: let the pipe fill now and then, so that the writer waits and our loop does not.
            loop = asyncio.get_running_loop()
            loop.remove_reader(self._descriptor)
            loop.call_later(_THROTTLED_SECONDS, self._resume)

    def _resume(self) -> None:
        for _ in range(_THROTTLED_CHUNKS):
            if not self._read():
                break
        self.listen()

    def _read(self) -> bool:
        if not self._open:
            return False
        try:
            data = os.read(self._descriptor, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self.close()
            return False
        self._is_silent = False
        admitted = self._output.admit(self._name, data)
        self._held += self._decoder.decode(admitted)
        self.release(whole=False)
        return True

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
