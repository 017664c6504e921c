"""`workbench definitions`: every definition of a project, of whatever kind, with what is wrong with it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from workbench.cli.opening import opened
from workbench.cli.output import one_line, print_json, print_table, say
from workbench.cli.records import listing_row
from workbench.cli.session import Exit, json_option, project_options
from workbench.domain.definitions import DefinitionKind, Severity
from workbench.domain.listing import Listing


@click.command()
@click.option(
    "--kind",
    type=click.Choice([kind.value for kind in DefinitionKind]),
    help="Only definitions of this kind.",
)
@json_option
@project_options
def definitions(project: Path, as_json: bool, kind: str | None) -> int:
    """List every definition, also those that cannot be used. Changes nothing."""
    found = [one for one in asyncio.run(_listings(project)) if kind in (None, one.file.kind.value)]
    if as_json:
        print_json([listing_row(one) for one in found])
        return Exit.OK
    if not found:
        say(f"No {kind or 'definition'}s yet: `workbench new --help` tells how to make one.")
    order = list(DefinitionKind)
    found.sort(key=lambda one: order.index(one.file.kind))
    rows = [
        (one.file.kind.value, one.name, _usable(one), one.file.path, one_line(_about(one))) for one in found
    ]
    print_table(("Kind", "Name", "Usable", "File", "Description"), rows)
    return Exit.OK


async def _listings(project: Path) -> tuple[Listing, ...]:
    async with opened(project, read_only=True) as wb:
        return wb.listings()


def _usable(listing: Listing) -> str:
    return "yes" if listing.callable else "no"


def _about(listing: Listing) -> str:
    error = next((item for item in listing.diagnostics if item.severity is Severity.ERROR), None)
    return error.message if error is not None else listing.description
