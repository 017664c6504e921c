"""WebAssembly engines to run in: modules compiled once for this machine, engines lent to one run at a time.

An engine is what a termination reaches, so no two runs share one. Compiled modules lie in the person's cache folder:
they are code of this machine and this wasmtime, so they are never taken from anywhere else.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

from workbench.base.whole_files import write_whole
from workbench.sandbox import wasm
from workbench.sandbox.resources import Resources

# Two MiB is the most that wasmtime takes without ending the process.
_CONFIG = {"epoch_interruption": True, "max_wasm_stack": 2 << 20}
_IDLE = 16

Link = Callable[["Engine", "wasm.Linker"], None]
"""Defines what a module imports, for one engine."""


class Engine:
    """An engine with a module compiled for it and linked. It runs one store at a time."""

    def __init__(self, engine: wasm.Engine, module: wasm.Module, link: Link) -> None:
        self._engine = engine
        self.module = module
        self.linker = wasm.Linker(engine)
        self.caller: object = None
        """Whom the linked functions serve now."""
        link(self, self.linker)

    def store(self, memory_bytes: int, *, instances: int = 1) -> wasm.Store:
        """A new store that `interrupt` ends, with a ceiling for its memory."""
        store = wasm.Store(self._engine)
        store.set_epoch_deadline(1)
        store.set_limits(
            memory_size=memory_bytes, memories=1, instances=instances, tables=2, table_elements=100_000
        )
        return store

    def exports_of(self, store: wasm.Store, text: str) -> Mapping[str, wasm.Func]:
        """The functions of a small module that is given as text, in the store."""
        exports = wasm.Instance(store, wasm.Module(self._engine, text), []).exports(store)
        return {name: cast("wasm.Func", exports[name]) for name in exports}

    def interrupt(self) -> None:
        """End what runs, at once and from any thread; its store is of no use afterwards, the engine is."""
        self._engine.increment_epoch()

    def close(self) -> None:
        """Let go of all it holds: wasmtime keeps the linked functions, and they keep this."""
        self.linker.close()
        self.module.close()
        self._engine.close()


class Engines:
    """The engines of one module, made when there is none idle."""

    def __init__(self, resources: Resources, name: str, cache: Path, link: Link) -> None:
        self._resources, self._name, self._cache, self._link = resources, name, cache, link
        self._idle: list[Engine] = []
        # Also held while one is made: wasmtime's table of host functions is not safe to fill from two threads.
        self._lock = threading.Lock()

    @property
    def is_compiled(self) -> bool:
        """Whether the module was compiled on this machine earlier."""
        return self._path().exists()

    def take(self) -> Engine:
        """An engine for one run. The first ever compiles, for a second or a few."""
        with self._lock:
            return self._idle.pop() if self._idle else self._made()

    def give(self, engine: Engine) -> None:
        """Give back what was taken; nobody may interrupt it any more."""
        with self._lock:
            if len(self._idle) < _IDLE:
                self._idle.append(engine)
            else:
                engine.close()

    def close(self) -> None:
        """Let go of what is idle."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()

    def _made(self) -> Engine:
        config = wasm.Config()
        for name, value in _CONFIG.items():
            setattr(config, name, value)
        engine = wasm.Engine(config)
        return Engine(engine, self._compiled(engine), self._link)

    def _compiled(self, engine: wasm.Engine) -> wasm.Module:
        path = self._path()
        if path.exists():
            with suppress(wasm.WasmtimeError):  # damaged, or of another machine that shares this folder
                return wasm.Module.deserialize_file(engine, str(path))
        module = wasm.Module(engine, self._resources.module(self._name))
        with suppress(OSError):  # a cache that cannot be written costs time only
            write_whole(path, bytes(module.serialize()))
        return module

    def _path(self) -> Path:
        parts = (
            self._resources.content(self._name),
            importlib.metadata.version("wasmtime"),
            repr(_CONFIG),
            platform.machine(),
            platform.system(),
        )
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
        return self._cache / f"{self._name}-{key}.cwasm"


class Instance:
    """One instance in a store of its own; `call` runs an export to its end or to a trap."""

    def __init__(self, engine: Engine, store: wasm.Store) -> None:
        self._store = store
        self._exports = engine.linker.instantiate(store, engine.module).exports(store)
        self.memory = cast("wasm.Memory", self._exports["memory"])

    def call(self, name: str, *values: int) -> int:
        """The export's answer. Raises wasm.Trap."""
        function = cast("wasm.Func", self._exports[name])
        return cast("int | None", function(self._store, *values)) or 0

    def read(self, at: int, size: int) -> bytes:
        return bytes(self.memory.read(self._store, at, at + size))

    def write(self, data: bytes, at: int) -> None:
        self.memory.write(self._store, bytearray(data), at)

    @property
    def memory_bytes(self) -> int:
        return self.memory.data_len(self._store)
