"""A file of JavaScript or TypeScript, run by itself in the sandbox: nothing of a project is at hand (X1, X3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.domain.definitions import Language
from workbench.project.layout import LANGUAGES
from workbench.sandbox.file_modules import FileModules
from workbench.sandbox.numbers import as_javascript
from workbench.sandbox.program import Program
from workbench.sandbox.results import CodeError, LogLine, as_json
from workbench.sandbox.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class CodeRecord:
    """How a run ended; `wire` is the whole of it as JSON (X2)."""

    is_ok: bool
    words: str
    """Why it failed; empty when it did not."""
    stack: str
    """The author's frames, and those of each error that it came of, below its words."""
    wire: Mapping[str, object]


async def run_code_file(
    path: Path,
    *,
    fn: str = "default",
    args: Sequence[JsonValue] = (),
    on_log: Callable[[str, str], object] = lambda level, text: None,
    on_report: Callable[[object], object] = lambda value: None,
) -> CodeRecord:
    """Run an export of a file. `on_log` hears level and text of each line, `on_report` each report as JSON.

    Raises UserError when there is no such file, or one of another language, or no sandbox on this machine, and
    UsageError for a whole number in `args` that JavaScript would round.
    """
    given = cast("Sequence[object]", as_javascript(list(args), "args"))
    if not await asyncio.to_thread(path.is_file):
        raise UserError(f"There is no file {path}.", hint="Name a .ts or .js file.")
    if LANGUAGES.get(path.suffix) is not Language.TYPESCRIPT:
        raise UserError(
            f"{path} is neither TypeScript nor JavaScript: that is a file whose name ends in .ts, .mts, .js or .mjs.",
            hint="A tool, in whichever language, is called with `workbench tool call NAME`.",
        )
    sandbox = Sandbox()

    def heard(line: LogLine) -> None:
        on_log(line.level, line.text)

    try:
        run = sandbox.start(
            Program(
                entry=path.name,
                modules=FileModules(path.parent, sandbox.transpile),
                fn=fn,
                args=given,
                on_log=heard,
                on_report=lambda value: on_report(as_json(value)),
            )
        )
        result = await run
    finally:
        await sandbox.close()
    error = result.error
    return CodeRecord(
        is_ok=result.status == "success",
        words=str(error) if error else "",
        stack="\n".join(_stacks(error)) if error else "",
        wire=result.to_json(),
    )


def _stacks(error: CodeError) -> Iterator[str]:
    if error.stack:
        yield error.stack
    for one in error.causes:
        yield f"Caused by {one}"
        if one.stack:
            yield one.stack
