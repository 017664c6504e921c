"""One instance of the engine that runs one piece of code, and what it asks of its host while it does.

The numbers are those of the engine's shim.
"""

from __future__ import annotations

import logging
from typing import Protocol, cast

from workbench.base.errors import BugError
from workbench.sandbox import wasm
from workbench.sandbox.engines import Engine, Instance
from workbench.sandbox.stopping import Stop, Stopped
from workbench.sandbox.values import readable

ASK_RESOLVE, ASK_LOAD, ASK_CALL, SEND_CALL, SEND_RESULT, SEND_REPORT, SEND_LOG = range(7)
_RUN, _SETTLE = 0, 1
OUT_LEAVING = 2

_log = logging.getLogger(__name__)


Place = tuple[int, int]
"""Where something begins in the memory, and its size."""


class Refused(Exception):
    """A question of the guest is answered by an error with these words."""


class MemoryLimit(Exception):
    """The code needed more memory than there is."""


class StackOverflow(Exception):
    """The code nested deeper than the engine can."""


class Broken(Exception):
    """The engine failed in a way that code should not be able to bring about."""


class Host(Protocol):
    """Whom a guest talks to, on the thread that runs it."""

    def resolve(self, importer: str, specifier: str) -> str:
        """Raises Refused."""
        ...

    def load(self, name: str) -> str:
        """Raises Refused."""
        ...

    def call(self, message: bytes) -> bytes: ...

    def receive(self, kind: int, id: int, message: bytes) -> None: ...


class Guest:
    """Runs a piece of code in a store of its own; every method raises Stopped when the run is terminated."""

    def __init__(self, engine: Engine, host: Host, memory_bytes: int, stop: Stop) -> None:
        self._engine, self._host, self._stop = engine, host, stop
        self._memory_limit = memory_bytes
        self._answer = b""
        self._failure: BaseException | None = None
        self._store = engine.store(memory_bytes)
        self._store.set_wasi(wasm.WasiConfig())
        engine.caller = self
        self._instance = Instance(engine, self._store)

    def run(self, message: bytes) -> None:
        """Start the code; returns when all that is left of it waits for the host."""
        self._dispatch(_RUN, 0, message)

    def settle(self, id: int, message: bytes) -> None:
        """Answer a call and run what waited for it."""
        self._dispatch(_SETTLE, id, message)

    @property
    def memory_bytes(self) -> int:
        return self._instance.memory_bytes

    @property
    def ran_out_of_memory(self) -> int:
        """Not 0 when an allocation failed at some moment: what failed afterwards did for that reason. OUT_LEAVING when
        it was for a value on its way out."""
        return self._instance.call("ran_out_of_memory")

    def close(self) -> None:
        """Give the memory back at once."""
        self._engine.caller = None
        self._store.close()

    def _dispatch(self, kind: int, id: int, message: bytes) -> None:
        try:
            self._answer = message
            failed = self._instance.call("dispatch", kind, id, len(message))
        except wasm.Trap as trap:
            self._raise_for(trap)
        else:
            self._check_host()
            if failed:
                raise MemoryLimit if self.ran_out_of_memory else Broken("the engine could not take a message")

    def _raise_for(self, trap: wasm.Trap) -> None:
        self._check_host()
        if self._stop.is_set:
            raise Stopped from trap
        if trap.trap_code == wasm.TrapCode.STACK_OVERFLOW:
            raise StackOverflow from trap
        if self._memory_limit - self.memory_bytes < 1 << 20:
            raise MemoryLimit from trap
        raise Broken(str(trap)) from trap

    def _check_host(self) -> None:
        """What went wrong on our side while the guest ran; it could not be raised through the guest."""
        failure, self._failure = self._failure, None
        if isinstance(failure, Stopped):
            raise failure
        if failure is not None:
            raise BugError("The host of a sandbox failed.", detail=repr(failure)) from failure

    # ---- called by the engine: nothing may be raised here

    def serve(self, kind: int, id: int, told: Place, inbox: Place) -> int:
        """Take a message; the size of the answer, or -1-size of the words of an error. One that fits is written."""
        refused = False
        try:
            message = self._instance.read(told[0] & 0xFFFFFFFF, told[1] & 0xFFFFFFFF)
            try:
                self._answer = self._answered(kind, id, message)
            except Refused as error:
                self._answer = str(error).encode("utf-8", "replace")
                refused = True
            size = len(self._answer)
            if 0 < size <= inbox[1]:
                self.hand_over(inbox[0])
            return -1 - size if refused else size
        except BaseException as failure:
            self._failure = self._failure or failure
            self._engine.interrupt()
            self._answer = b""
            return -1

    def hand_over(self, into: int) -> None:
        """Write the answer, or the message, where the guest made room for it."""
        self._instance.write(self._answer, into & 0xFFFFFFFF)
        self._answer = b""

    def _answered(self, kind: int, id: int, message: bytes) -> bytes:
        if kind == ASK_RESOLVE:
            importer, _, specifier = readable(message).partition("\0")
            return self._host.resolve(importer, specifier).encode()
        if kind == ASK_LOAD:
            return b"\0" + self._host.load(readable(message)).encode("utf-8", "replace")
        if kind == ASK_CALL:
            return self._host.call(message)
        self._host.receive(kind, id, message)
        return b""


def link(engine: Engine, linker: wasm.Linker) -> None:
    """Define what the engine's module imports, for whichever guest it runs."""

    def send(kind: int, id: int, at: int, size: int, *inbox: int) -> int:
        return cast("Guest", engine.caller).serve(kind, id, (at, size), cast("Place", inbox))

    def take(into: int) -> None:
        cast("Guest", engine.caller).hand_over(into)

    word = wasm.ValType.i32
    linker.define_wasi()
    linker.define_func("host", "send", wasm.FuncType([word()] * 6, [word()]), send)
    linker.define_func("host", "take", wasm.FuncType([word()], []), take)
