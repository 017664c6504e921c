"""What is used of wasmtime, imported when something is to run: it takes as long as the whole command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wasmtime import (
        Config,
        Engine,
        Func,
        FuncType,
        Instance,
        Linker,
        Memory,
        Module,
        Store,
        Trap,
        TrapCode,
        ValType,
        WasiConfig,
        WasmtimeError,
    )
else:

    def __getattr__(name: str) -> object:
        import wasmtime

        return getattr(wasmtime, name)


__all__ = [
    "Config",
    "Engine",
    "Func",
    "FuncType",
    "Instance",
    "Linker",
    "Memory",
    "Module",
    "Store",
    "Trap",
    "TrapCode",
    "ValType",
    "WasiConfig",
    "WasmtimeError",
]
