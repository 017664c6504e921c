"""TypeScript to ECMAScript: the swc compiler in WebAssembly, with what it said kept by content."""

from __future__ import annotations

import hashlib
import struct
import threading
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.base.errors import UserError
from workbench.sandbox import wasm
from workbench.sandbox.bindgen import Values
from workbench.sandbox.engines import Engine, Engines, Instance
from workbench.sandbox.resources import Resources
from workbench.sandbox.source_map import SourceMap
from workbench.sandbox.stopping import Stop, Stopped, wait_for

_OPTIONS = {
    "mode": "transform",
    "sourceMap": True,
    "module": True,
    "transform": {"noEmptyExport": True, "nativeClassProperties": True},
}
_MEMORY_BYTES = 512 << 20
# A compiler that needed this much for one file is not kept: its memory never shrinks.
_KEPT_MEMORY_BYTES = 64 << 20
_COMPILERS = 2
_KEPT_CHARACTERS = 16_000_000


class SourceError(UserError):
    """A source file cannot be compiled. `line` and `column` count from 1 and are 0 when nobody knows."""

    def __init__(self, message: str, file: str, line: int = 0, column: int = 0, snippet: str = "") -> None:
        place = f"{file}:{line}:{column}" if line else file
        super().__init__(f"{place}: {message}", detail=snippet)
        self.reason = message
        self.file, self.line, self.column, self.snippet = file, line, column, snippet


@dataclass(frozen=True, slots=True)
class Transpiled:
    """ECMAScript text and the way back to its source."""

    code: str
    source_map: SourceMap


class TypeScript:
    """Compiles from any thread; a few at a time."""

    def __init__(self, resources: Resources, cache: Path) -> None:
        self._engines = Engines(resources, "typescript", cache, lambda engine, linker: None)
        self._free = threading.Condition()
        self._running = 0
        self._idle: list[_Compiler] = []
        self._kept: OrderedDict[bytes, Transpiled] = OrderedDict()
        self._kept_characters = 0

    @property
    def is_compiled(self) -> bool:
        """Whether the compiler itself was compiled on this machine earlier."""
        return self._engines.is_compiled

    def transpile(self, source: str, filename: str, stop: Stop | None = None) -> Transpiled:
        """The file as ECMAScript; `filename` is for words. Raises SourceError, and Stopped when `stop` is set."""
        key = hashlib.sha256(source.encode("utf-8", "surrogatepass")).digest()
        with self._free:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
                return kept
        with self._compiler(stop or Stop()) as compiler:
            made = compiler.compile(source, filename)
        self._keep(key, made)
        return made

    def close(self) -> None:
        """Let go of the idle compilers; there may be new ones."""
        with self._free:
            while self._idle:
                self._idle.pop().close()

    @contextmanager
    def _compiler(self, stop: Stop) -> Generator[_Compiler]:
        """One of the few, waiting for it if need be. Raises Stopped."""
        with self._claimed(stop):
            with self._free:
                compiler = self._idle.pop() if self._idle else None
            compiler = compiler or _Compiler(self._engines.take())
            compiler.begin()
            try:
                with stop.interrupting(compiler.engine.interrupt):
                    yield compiler
            finally:
                self._give_back(compiler)

    @contextmanager
    def _claimed(self, stop: Stop) -> Generator[None]:
        """A place among those that compile at the same time."""

        def claim() -> bool:
            if self._running >= _COMPILERS:
                return False
            self._running += 1
            return True

        wait_for(self._free, claim, stop)
        try:
            yield
        finally:
            with self._free:
                self._running -= 1
                self._free.notify()

    def _give_back(self, compiler: _Compiler) -> None:
        if compiler.is_fit:
            with self._free:
                self._idle.append(compiler)
        else:
            compiler.close()

    def _keep(self, key: bytes, made: Transpiled) -> None:
        with self._free:
            self._kept[key] = made
            self._kept_characters += len(made.code)
            while self._kept_characters > _KEPT_CHARACTERS:
                _, oldest = self._kept.popitem(last=False)
                self._kept_characters -= len(oldest.code)


class _Compiler:
    """One instance of the compiler's module."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._values = Values(_OPTIONS)
        self._store = engine.store(_MEMORY_BYTES, instances=2)
        self._values.link(engine, self._store)
        self._instance = Instance(engine, self._store)
        self._values.serve(self._instance)
        self._answer_at = self._instance.call("__wbindgen_add_to_stack_pointer", -16) & 0xFFFFFFFF
        self.is_fit = True

    def begin(self) -> None:
        """Forget the file before and the interrupts so far: one that came when it was done is not for the next."""
        self._store.set_epoch_deadline(1)
        self._values.begin()

    def compile(self, source: str, filename: str) -> Transpiled:
        """Raises SourceError."""
        self.is_fit = False
        try:
            answer, failed = self._transform(source)
        except wasm.Trap as error:
            if error.trap_code == wasm.TrapCode.INTERRUPT and not self._values.failure:
                raise Stopped from error
            raise SourceError(self._why(error), filename) from error
        self.is_fit = self._instance.memory_bytes <= _KEPT_MEMORY_BYTES
        if failed:
            raise _refused(answer, source, filename)
        return Transpiled(str(answer["code"]), SourceMap(str(answer["map"])))

    def close(self) -> None:
        self._store.close()
        self.engine.close()

    def _transform(self, source: str) -> tuple[dict[str, Any], bool]:
        values = self._values
        self._instance.call("transformSync", self._answer_at, values.hold(source), values.options)
        made, thrown, failed = struct.unpack("<III", self._instance.read(self._answer_at, 12))
        return values.at(thrown if failed else made), bool(failed)

    def _why(self, error: wasm.Trap) -> str:
        if error.trap_code in {wasm.TrapCode.STACK_OVERFLOW, wasm.TrapCode.MEMORY_OUT_OF_BOUNDS}:
            return "this is nested too deeply to be compiled"
        return self._values.failure or "the TypeScript compiler cannot compile this"


def _refused(told: dict[str, Any], source: str, filename: str) -> SourceError:
    """The compiler's error with the author's line below it; it counts columns from 0."""
    line, column = int(told.get("startLine", 0)), int(told.get("startColumn", -1)) + 1
    lines = source.splitlines()
    snippet = f"{lines[line - 1][:200]}\n{' ' * (column - 1)}^" if 0 < line <= len(lines) else ""
    return SourceError(str(told.get("message", "syntax error")), filename, line, column, snippet)
