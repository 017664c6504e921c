"""Freezes a started engine: what was loaded into its memory becomes the data of a new module that starts in no time.

The instance runs without a clock and without randomness, so the same sources give the same bytes.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import cast

import wasmtime

# The numbers of guest/shim.c.
ASK_RESOLVE, ASK_LOAD, SEND_LOG, SEND_BYTECODE = 0, 1, 6, 7
STACK_SIZE = 600_000
USED_EXPORTS = ("memory", "dispatch", "ran_out_of_memory")
_PAGE = 65_536
# Zero bytes between two pieces of data that are cheaper to write than a piece's own head.
_GAP = 256
_BLOCK = 64


class FreezeError(Exception):
    """The sources could not be loaded into the engine."""


def frozen(
    engine: bytes, sources: Mapping[str, str], specifiers: Mapping[str, str], roots: list[str]
) -> bytes:
    """The engine with the modules `roots` evaluated, and all that they import.

    `sources` maps names of modules (`sb:zod/index.js`) to text, `specifiers` bare specifiers to names.
    Raises FreezeError with the engine's words when a module does not load.
    """
    wasm = wasmtime.Engine(_config())
    module = wasmtime.Module(wasm, engine)
    wanted = list(roots)

    def text(name: str) -> bytes:
        if name not in wanted:
            wanted.append(name)
        return b"\0" + sources[name].encode()

    compiler = _Guest(wasm, module, specifiers, text)
    bytecode: dict[str, bytes] = {}
    for name in wanted:  # grows while its modules are compiled, by what they import
        bytecode[name] = compiler.compiled(name)
    # In an instance of its own, so that what compiling leaves behind is not frozen.
    guest = _Guest(wasm, module, specifiers, lambda name: b"\1" + bytecode[name])
    for root in roots:
        guest.evaluate(root)
    return _with_memory(engine, guest.memory(), guest.stack_pointer())


def _config() -> wasmtime.Config:
    config = wasmtime.Config()
    config.max_wasm_stack = 2 << 20
    return config


class _Guest:
    """One instance of the engine that finds its modules in a table."""

    def __init__(
        self,
        wasm: wasmtime.Engine,
        module: wasmtime.Module,
        specifiers: Mapping[str, str],
        load: Callable[[str], bytes],
    ) -> None:
        self._specifiers = specifiers
        self._load = load
        self._answer = b""
        self._bytecode = b""
        self._said: list[str] = []
        self._store = wasmtime.Store(wasm)
        linker = wasmtime.Linker(wasm)
        for wanted in module.imports:
            name = wanted.name or ""
            serve = {"send": self._serve, "take": self._take}.get(name, _no_system)
            kind = cast("wasmtime.FuncType", wanted.type)
            linker.define_func(wanted.module, name, kind, serve, access_caller=True)
        self._exports = linker.instantiate(self._store, module).exports(self._store)
        self._call("_initialize")
        self._check(self._call("start", STACK_SIZE))

    def compiled(self, name: str) -> bytes:
        self._check(self._call("compile_module", self._put(name)), name)
        return self._bytecode

    def evaluate(self, name: str) -> None:
        self._check(self._call("evaluate_module", self._put(name)), name)

    def memory(self) -> bytes:
        self._call("collect_garbage")
        return bytes(self._memory.read(self._store, 0, self._memory.data_len(self._store)))

    def stack_pointer(self) -> int:
        pointer = cast("wasmtime.Global", self._exports["__stack_pointer"])
        return cast("int", pointer.value(self._store))

    @property
    def _memory(self) -> wasmtime.Memory:
        return cast("wasmtime.Memory", self._exports["memory"])

    def _call(self, name: str, *values: int) -> int:
        function = cast("wasmtime.Func", self._exports[name])
        return cast("int | None", function(self._store, *values)) or 0

    def _put(self, text: str) -> int:
        data = text.encode() + b"\0"
        at = self._call("allocate", len(data))
        self._memory.write(self._store, bytearray(data), at)
        return at

    def _check(self, failed: int, name: str = "the engine") -> None:
        if failed:
            self._call("say_exception")
            raise FreezeError(f"{name}: " + "\n".join(self._said))

    def _serve(self, caller: wasmtime.Caller, kind: int, _id: int, at: int, size: int, *answer: int) -> int:
        into, room = answer
        self._answer = self._answered(caller, kind, at, size)
        if len(self._answer) <= room:
            self._take(caller, into)
        return len(self._answer)

    def _answered(self, caller: wasmtime.Caller, kind: int, at: int, size: int) -> bytes:
        message = bytes(self._memory.read(caller, at, at + size))
        if kind == SEND_BYTECODE:
            self._bytecode = message
        elif kind == SEND_LOG:
            self._said.append(message.decode())
        elif kind == ASK_RESOLVE:
            importer, _sep, specifier = message.decode().partition("\0")
            return (self._specifiers.get(specifier) or _resolved(importer, specifier)).encode()
        elif kind == ASK_LOAD:
            return self._load(message.decode())
        return b""

    def _take(self, caller: wasmtime.Caller, into: int) -> None:
        self._memory.write(caller, bytearray(self._answer), into)


def _resolved(importer: str, specifier: str) -> str:
    """`./core.js` in `sb:zod/v4/index.js` is `sb:zod/v4/core.js`; every other specifier is a name already."""
    if not specifier.startswith("."):
        return specifier
    folder = posixpath.dirname(importer.removeprefix("sb:"))
    return "sb:" + posixpath.normpath(posixpath.join(folder, specifier))


def _no_system(*_: object) -> int:
    """Every call of the system succeeds and does nothing: the hour is zero, and nothing is random."""
    return 0


# ---- the module, rewritten ----------------------------------------------------------------------------------


def _with_memory(module: bytes, memory: bytes, stack_pointer: int) -> bytes:
    """The module whose memory begins as `memory`, by its sections: 5 (memory), 6 (globals), 7 (exports), 11 (data) and
    12 (data count)."""
    pieces = list(_pieces(memory))
    out = bytearray(module[:8])
    for kind, body in _sections(module):
        if kind in {0, 8}:  # names, and the start function that has run
            continue
        if kind == 5:
            body = _memory_section(body, len(memory) // _PAGE)
        elif kind == 6:
            body = _global_section(body, stack_pointer)
        elif kind == 7:
            body = _export_section(body)
        elif kind == 11:
            body = _uleb(len(pieces)) + b"".join(
                b"\0\x41" + _sleb(at) + b"\x0b" + _uleb(end - at) + memory[at:end] for at, end in pieces
            )
        elif kind == 12:
            body = _uleb(len(pieces))
        out += bytes([kind]) + _uleb(len(body)) + body
    return bytes(out)


def _pieces(memory: bytes) -> Iterator[tuple[int, int]]:
    """The parts of the memory that are not zero."""
    start = end = -1
    zeros = bytes(_BLOCK)
    for at in range(0, len(memory), _BLOCK):
        if memory[at : at + _BLOCK] == zeros:
            continue
        if start >= 0 and at - end > _GAP:
            yield start, end
            start = -1
        if start < 0:
            start = at
        end = at + _BLOCK
    if start >= 0:
        yield start, end


def _sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    at = 8
    while at < len(module):
        kind = module[at]
        size, at = _read_uleb(module, at + 1)
        yield kind, module[at : at + size]
        at += size


def _memory_section(body: bytes, pages: int) -> bytes:
    """One memory that begins with `pages` and may grow as far as before."""
    flags = body[1]
    _, at = _read_uleb(body, 2)
    return b"\x01" + bytes([flags]) + _uleb(pages) + body[at:]


def _global_section(body: bytes, stack_pointer: int) -> bytes:
    """The one global that can change is the stack pointer; each is an i32 with a constant: type, change, 41 n 0b."""
    count, at = _read_uleb(body, 0)
    out = bytearray(_uleb(count))
    for _ in range(count):
        end = body.index(b"\x0b", at + 3) + 1
        out += body[at : at + 3] + _sleb(stack_pointer) + b"\x0b" if body[at + 1] else body[at:end]
        at = end
    return bytes(out)


def _export_section(body: bytes) -> bytes:
    """What is used of a frozen instance, since who makes one looks at each: a name, a kind and a number."""
    count, at = _read_uleb(body, 0)
    kept: list[bytes] = []
    for _ in range(count):
        size, start = _read_uleb(body, at)
        _, end = _read_uleb(body, start + size + 1)
        if body[start : start + size].decode() in USED_EXPORTS:
            kept.append(body[at:end])
        at = end
    return _uleb(len(kept)) + b"".join(kept)


def _uleb(number: int) -> bytes:
    out = bytearray()
    while True:
        number, low = number >> 7, number & 0x7F
        out.append(low | (0x80 if number else 0))
        if not number:
            return bytes(out)


def _sleb(number: int) -> bytes:
    out = bytearray()
    while True:
        number, low = number >> 7, number & 0x7F
        done = (number == 0 and not low & 0x40) or (number == -1 and low & 0x40)
        out.append(low if done else low | 0x80)
        if done:
            return bytes(out)


def _read_uleb(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return number, at
