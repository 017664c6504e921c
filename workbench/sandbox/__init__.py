"""JavaScript and TypeScript in QuickJS on wasmtime: code that is run, and the host of definitions written in them."""

from __future__ import annotations

from workbench.sandbox.code_run import CodeRun
from workbench.sandbox.host_calls import HostError
from workbench.sandbox.modules import ModuleNotFound, Modules, json_module
from workbench.sandbox.program import Execute, Program
from workbench.sandbox.resources import Resources, SandboxUnavailable
from workbench.sandbox.results import CodeError, CodeResult, LogLine, as_json
from workbench.sandbox.sandbox import Sandbox
from workbench.sandbox.typescript import SourceError, Transpiled
from workbench.sandbox.values import UNDEFINED, BigInt, blocking

__all__ = [
    "UNDEFINED",
    "BigInt",
    "CodeError",
    "CodeResult",
    "CodeRun",
    "Execute",
    "HostError",
    "LogLine",
    "ModuleNotFound",
    "Modules",
    "Program",
    "Resources",
    "Sandbox",
    "SandboxUnavailable",
    "SourceError",
    "Transpiled",
    "as_json",
    "blocking",
    "json_module",
]
