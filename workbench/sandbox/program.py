"""What is to be run: the options of run_code (X1), and their general form that tool files use, too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from workbench.sandbox.modules import Modules
from workbench.sandbox.results import LogLine

Language = Literal["typescript", "javascript"]
Image = Literal["plain", "tools"]
"""`plain` is ECMAScript with console and report; `tools` adds what files of tools may use, and zod."""


@dataclass(frozen=True, slots=True)
class Execute:
    """Which export is run, with which arguments. An export that is no function is itself the result."""

    fn: str = "default"
    args: Sequence[object] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """One run: `entry` is the name of a module that `modules` loads.

    `imports` maps bare specifiers to what they export, `globals` adds free identifiers; functions in either, or in
    `args`, call back to the loop that starts the run. `on_report` and `on_log` are called there in order, and the code
    waits while they are behind. `optional` lets the export be missing: the run then has no value.
    """

    entry: str
    modules: Modules
    fn: str = "default"
    args: Sequence[object] = ()
    imports: Mapping[str, Mapping[str, object]] = field(default_factory=dict[str, Mapping[str, object]])
    globals: Mapping[str, object] = field(default_factory=dict[str, object])
    image: Image = "plain"
    optional: bool = False
    on_report: Callable[[object], object] | None = None
    on_log: Callable[[LogLine], object] | None = None
