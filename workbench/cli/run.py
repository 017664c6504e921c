"""`workbench run`: a file of TypeScript or JavaScript, in the sandbox, with nothing of this machine at hand."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import click

from workbench.app.code_files import run_code_file
from workbench.base.errors import UsageError
from workbench.base.exact_json import JsonError, JsonValue, parse
from workbench.cli.output import print_json, say
from workbench.cli.session import Exit, json_option, verbose_option


@click.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--fn", default="default", show_default=True, metavar="NAME", help="The export to run.")
@click.option("--args", "arguments", default="[]", metavar="JSON", help="Its arguments, a JSON list.")
@json_option
@verbose_option
def run(file: Path, fn: str, arguments: str, as_json: bool) -> int:
    """Run an export of a TypeScript or JavaScript file as `run_code` does, and print its value as JSON.

    It can import the files beside it and below, and reaches nothing else: no network, no files, no packages. What it
    logs and reports goes to stderr as it comes. With --json the whole record is printed: status, result, error, logs,
    reports and duration.
    """
    record = asyncio.run(
        run_code_file(
            file,
            fn=fn,
            args=_list(arguments),
            on_log=lambda level, text: say(text if level in {"log", "info"} else f"{level}: {text}"),
            on_report=lambda value: say(f"report: {json.dumps(value, ensure_ascii=False)}"),
        )
    )
    if as_json:
        print_json(record.wire)
    elif record.is_ok and "result" in record.wire:
        print_json(record.wire["result"])
    if not record.is_ok:
        say(record.words)
        if record.stack:
            say(record.stack)
    return Exit.OK if record.is_ok else Exit.FAILED


def _list(text: str) -> list[JsonValue]:
    try:
        value = parse(text)
    except JsonError as error:
        raise UsageError(
            f"--args is not JSON: {error.message}", hint="Write a list: --args '[1, \"two\"]'"
        ) from error
    if not isinstance(value, list):
        raise UsageError("--args is a list of arguments.", hint="Write a list: --args '[1, \"two\"]'")
    return list(value)
