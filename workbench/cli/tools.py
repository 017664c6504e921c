"""`workbench tool`: list a project's tools, show one, call one."""

from __future__ import annotations

import asyncio
import difflib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.base import exact_json
from workbench.base.errors import NotThere
from workbench.base.ids import CallId
from workbench.cli.given import pairs_given, pairs_option, source_given
from workbench.cli.invocation import as_typed
from workbench.cli.opening import opened
from workbench.cli.output import amount, one_line, print_json, print_json_text, print_table, print_text, say
from workbench.cli.records import listing_row
from workbench.cli.running import run_call
from workbench.cli.session import Exit, json_option, project_options
from workbench.cli.thread_ids import whole_id
from workbench.cli.variables import NO_KEYRING, instead_of_keyring
from workbench.domain.auth import LOCAL
from workbench.domain.calls import FailureKind
from workbench.domain.definitions import DefinitionKind
from workbench.domain.listing import Listing
from workbench.domain.variables import VariableType

if TYPE_CHECKING:
    from workbench.app import CallRecord, Workbench


@click.group()
def tool() -> None:
    """List the tools of a project, show one, call one."""


@tool.command("list")
@json_option
@project_options
def list_tools(project: Path, as_json: bool) -> int:
    """List every tool, also those that cannot be called."""
    tools = asyncio.run(tools_of(project))
    if as_json:
        print_json([listing_row(one) for one in tools])
    else:
        print_tools(tools)
    return Exit.OK


async def tools_of(project: Path) -> list[Listing]:
    """The tools of a project, also those that cannot be called; looking makes nothing in it (H5)."""
    async with opened(project, read_only=True) as wb:
        return [one for one in wb.listings() if one.file.kind is DefinitionKind.TOOL]


def print_tools(tools: Sequence[Listing]) -> None:
    """The table of tools."""
    if not tools:
        say("No tools yet: `workbench new tool NAME` makes one.")
    rows = [
        (one.name, "yes" if one.callable else "no", one.file.path, one_line(_about(one))) for one in tools
    ]
    print_table(("Name", "Callable", "File", "Description"), rows)


def _about(listing: Listing) -> str:
    if listing.tool is None and listing.diagnostics:
        return listing.diagnostics[0].message
    return listing.description


@tool.command("show", short_help="Show what a model is told about a tool.")
@click.argument("name")
@json_option
@project_options
def show_tool(project: Path, name: str, as_json: bool) -> int:
    """Show what a model is told about a tool, its variables, and what is wrong with it.

    Ends with 3 when there is no such tool.
    """
    tools = asyncio.run(tools_of(project))
    listing = next((one for one in tools if one.name == name), None)
    if listing is None:
        raise UnknownTool(name, [one.name for one in tools])
    if as_json:
        print_json({**listing_row(listing), **(listing.tool.to_json() if listing.tool else {})})
        return Exit.OK
    print_text("\n".join(_sheet(listing)))
    return Exit.OK


def _sheet(listing: Listing) -> Iterator[str]:
    definition = listing.tool
    yield f"{listing.name}  ({listing.file.dialect}, {listing.file.path}:{definition.line if definition else 1})"
    for diagnostic in listing.diagnostics:
        yield f"{diagnostic.severity}: {diagnostic.message} [{diagnostic.code}]"
    if definition is None:
        return
    yield f"\n{definition.description.strip()}"
    if definition.variables:
        yield "\nVariables"
        for one in definition.variables:
            needed = "required" if one.required else "optional"
            yield f"  {one.name}  {one.type}, {needed}  {one.description}"
    if definition.uses is not None:
        yield f"\nMay call: {', '.join(definition.uses) or 'nothing'}"
    if definition.needs_approval:
        yield f"\nNeeds approval: {'always' if definition.needs_approval is True else 'depends on the arguments'}"
    schema = definition.input_schema
    yield "\nArguments" if schema else "\nTakes no arguments."
    if schema:
        yield exact_json.dump(schema, indent=2)


@tool.command("call", context_settings={"allow_extra_args": True})
@click.argument("name")
@click.option(
    "--input",
    "source",
    default="{}",
    metavar="JSON|@FILE|-",
    help="The arguments: JSON text, @ and a file that holds it, or - for stdin. Without it: none.",
)
@pairs_option
@click.option(
    "--session",
    "session_id",
    metavar="ID",
    help="Call inside this session: a thread's id, its beginning, or `last`.",
)
@click.option("--continuation-token", metavar="T", help="Go on where this token points to.")
@click.option("--principal", metavar="NAME", help="Call as this principal. Without it: as the person here.")
@click.option("--url", metavar="URL", help="Call through the server at this address, with WORKBENCH_TOKEN.")
@click.option("--approve", is_flag=True, help="Approve beforehand a call that needs approval.")
@click.option("--dry-run", is_flag=True, help="Run it only if it reads; else answer with its stand-in.")
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Seconds it may take."
)
@json_option
@project_options
@click.pass_context
def call_tool(
    context: click.Context, project: Path, name: str, source: str, as_json: bool, **options: Any
) -> int:
    """Call a tool and print its record.

    Ends with 0 when the tool succeeded, 1 when its result is an error, 2 when the input cannot be used,
    3 when there is no such tool or it cannot be called, 4 when something is busy or not available, 130 when
    interrupted.
    """
    from workbench.app import CallRefused

    if context.args:
        raise click.UsageError(
            f"{context.args[0]} is one word too many: arguments go behind --input or --arg."
        )
    url, principal = options.pop("url"), options.pop("principal")
    arguments = _arguments(source, options.pop("pairs"))
    one_line_each = as_json or not sys.stdout.isatty()
    if url is not None:
        if principal is not None:
            raise click.UsageError("A server knows by the token who calls: leave out --principal.")
        return _call_through(url, project, name, arguments, {**options, "one_line_each": one_line_each})
    try:
        record, interrupted = asyncio.run(
            _call(project, name, arguments, {**options, "principal": principal or LOCAL})
        )
    except CallRefused as refusal:
        if one_line_each:
            print_json(refusal.to_json(), compact=True)
        raise
    _print_record(record.to_json_text(), one_line_each)
    return Exit.INTERRUPTED if interrupted else exit_code_of(record)


def _call_through(url: str, project: Path, name: str, arguments: bytes, options: dict[str, Any]) -> int:
    from workbench.cli import over_http

    one_line_each = options["one_line_each"]
    body = {
        "sessionId": options["session_id"],
        "continuationToken": options["continuation_token"],
        "approve": options["approve"],
        "dryRun": options["dry_run"],
        "timeout": options["timeout"],
    }
    try:
        record = over_http.call(url, project, name, arguments, body)
    except over_http.Refusal as refusal:
        if one_line_each:
            print_json_text(refusal.text)
        raise
    _print_record(record.text, one_line_each)
    return Exit.FAILED if record.is_error else Exit.OK


def _print_record(text: str, as_one_line: bool) -> None:
    if not as_one_line:
        try:
            print_json(exact_json.parse(text))
        except exact_json.JsonError:  # nested deeper, or longer numbers, than can be laid out
            as_one_line = True
    if as_one_line:
        print_json_text(text)


def _arguments(source: str, pairs: Sequence[str]) -> bytes:
    """What the call is given, to the letter unless arguments came one by one, too."""
    text = source_given("--input", source)
    if not pairs:
        return text
    try:
        return exact_json.dump({**exact_json.parse_object(text), **pairs_given(pairs)}).encode()
    except exact_json.JsonError:
        return text  # the call refuses it, and says where


async def _call(
    project: Path, name: str, arguments: bytes, options: dict[str, Any]
) -> tuple[CallRecord, bool]:
    async with opened(project, connect=False) as wb:
        if options["session_id"] is not None:
            options["session_id"] = await whole_id(wb, options["session_id"])
        record, interrupted = await run_call(wb, name, arguments, quiet=True, **options)
        if record.failure is not None and record.failure.kind is FailureKind.MISSING_VARIABLE:
            await _tell_of_no_keyring(wb, name)
        await _tell_of_files(wb, record)
        return record, interrupted


async def _tell_of_files(wb: Workbench, record: CallRecord) -> None:
    """The record has none of what was attached, so say how to get it."""
    try:
        result = (await wb.call(CallId(record.call_id))).result
    except NotThere:  # it could not be kept, as the record says
        return
    if result is not None and result.attachments:
        how = as_typed("call", "show", record.call_id, "--save", "DIR")
        say(f"It attached {amount(len(result.attachments), 'file')}, to be had with: {how}")


async def _tell_of_no_keyring(wb: Workbench, tool: str) -> None:
    """Where `var set` would not help, say at once what does (V4)."""
    missing = [line for line in await wb.variables.lines() if line.missing and tool in line.used_by]
    secret = next((line.name for line in missing if line.type is VariableType.SECRET), None)
    if secret is not None and (state := await wb.variables.vault_state()).name in NO_KEYRING:
        say(f"{state.message} {instead_of_keyring(state, secret)}")


def exit_code_of(record: CallRecord) -> Exit:
    """How a served call ends the command (H2)."""
    if not record.is_error:
        return Exit.OK
    kind = record.failure.kind if record.failure else FailureKind.TOOL_ERROR
    return _EXITS.get(kind, Exit.FAILED)


_EXITS = {
    FailureKind.INVALID_ARGUMENTS: Exit.USAGE,
    FailureKind.UNKNOWN_TOOL: Exit.NOT_CALLABLE,
    FailureKind.HOST_UNAVAILABLE: Exit.UNAVAILABLE,
}


class UnknownTool(NotThere):
    """There is no tool of this name; the hint has the nearest ones (C2)."""

    code = "unknown_tool"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        near = difflib.get_close_matches(name, known, n=3)
        hint = f"Did you mean {', '.join(near)}?" if near else "`workbench tool list` has them all."
        super().__init__(f"There is no tool named {name}.", hint=hint)
