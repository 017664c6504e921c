"""`workbench check`: everything that is wrong with a project's files, and nothing changed by looking."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from workbench.cli.opening import opened
from workbench.cli.output import amount, print_json, print_text
from workbench.cli.records import diagnostic_row
from workbench.cli.session import Exit, json_option, project_options
from workbench.domain.definitions import Diagnostic, Severity


@click.command()
@json_option
@project_options
def check(project: Path, as_json: bool) -> int:
    """Load every definition and say what is wrong with it, errors first.

    Ends with 0 when nothing stands in the way of a call, with 1 when there are errors. Changes nothing.
    """
    diagnostics, count = asyncio.run(_load(project))
    errors = sum(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
    if as_json:
        rows = [diagnostic_row(diagnostic) for diagnostic in diagnostics]
        print_json({"ok": errors == 0, "diagnostics": rows}, compact=None)
    else:
        for diagnostic in diagnostics:
            print_text(_lines(diagnostic))
        others = len(diagnostics) - errors
        print_text(f"{amount(count, 'definition')}, {amount(errors, 'error')}, {amount(others, 'remark')}")
    return Exit.FAILED if errors else Exit.OK


async def _load(project: Path) -> tuple[list[Diagnostic], int]:
    """What was found, the worst first; within one severity what is about the whole project comes first."""
    async with opened(project, read_only=True) as wb:
        worst_first = list(Severity)
        found = sorted(wb.diagnostics(), key=lambda diagnostic: worst_first.index(diagnostic.severity))
        return found, len(wb.listings())


def _lines(diagnostic: Diagnostic) -> str:
    place = ":".join(str(part) for part in (diagnostic.path, diagnostic.line, diagnostic.column) if part)
    hint = f"\n    {diagnostic.hint}" if diagnostic.hint else ""
    return f"{place}: {diagnostic.severity}: {diagnostic.message} [{diagnostic.code}]{hint}"
