"""`workbench var`: the variables of a project; a secret's value comes by prompt or pipe, never as an argument."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from workbench.base import exact_json
from workbench.base.errors import NotThere, UserError
from workbench.cli.invocation import as_typed
from workbench.cli.opening import nothing_kept, opened
from workbench.cli.output import print_json, print_table, say
from workbench.cli.records import variable_row
from workbench.cli.session import Exit, json_option, project_options
from workbench.domain.variables import Scope, VariableType
from workbench.engine.ports import VaultState

if TYPE_CHECKING:
    from workbench.app import VariableLine, Workbench


NO_KEYRING = frozenset({"absent", "refused"})
"""The states of the vault in which it takes no secret, whatever a person does at its prompt."""


def instead_of_keyring(state: VaultState, name: str) -> str:
    """What to do about one secret where no keyring takes it."""
    return state.hint.replace("<NAME>", name)


def _as_scope(_: click.Context, __: click.Parameter, scope: str) -> Scope:
    return Scope(scope)


_scope_option = click.option(
    "--scope",
    type=click.Choice([Scope.INSTANCE.value, Scope.ACCOUNT.value]),
    default=Scope.INSTANCE.value,
    callback=_as_scope,
    show_default=True,
    help="instance: this project on this machine; account: all your projects.",
)


@click.group()
def var() -> None:
    """List variables, set and remove their values."""


@var.command("list")
@json_option
@project_options
def list_variables(project: Path, as_json: bool) -> int:
    """List every variable that a tool declares or that has a value. Secrets show no value."""
    lines = asyncio.run(_lines(project))
    if as_json:
        print_json([variable_row(line) for line in lines])
        return Exit.OK
    if not lines:
        say("No variables: no tool declares one, and none is set.")
    print_table(
        ("Name", "Type", "Value", "Used by"),
        [(line.name, line.type, _value(line), ", ".join(line.used_by)) for line in lines],
        stretch=2,
    )
    return Exit.OK


async def _lines(project: Path) -> tuple[VariableLine, ...]:
    async with opened(project, read_only=nothing_kept(project)) as wb:
        return await wb.variables.lines()


def _value(line: VariableLine) -> str:
    if not line.is_set:
        return "missing" if line.missing else "not set"
    shown = "set" if line.value is None else exact_json.dump(line.value)
    source = "default" if line.is_default else f"{line.scope}"
    hides = f", over that of {' and '.join(line.overrides)}" if line.overrides else ""
    warning = ", too short to be hidden" if line.too_short else ""
    return f"{shown} ({source}{hides}{warning})"


@var.command("set", short_help="Give a variable a value.")
@click.argument("name")
@click.argument("value", required=False)
@click.option("--text", "type", flag_value="text", help="May be shown; VALUE may be an argument.")
@click.option("--secret", "type", flag_value="secret", help="Never shown, kept in the keyring.")
@_scope_option
@project_options
def set_variable(project: Path, name: str, value: str | None, type: str | None, scope: Scope) -> int:
    """Give a variable a value: asked for, or read from stdin when it is a pipe.

    Without --text or --secret a variable keeps the type that its tool declares; any other is secret.
    """
    asyncio.run(_set(project, name, value, VariableType(type) if type else None, scope))
    return Exit.OK


async def _set(project: Path, name: str, value: str | None, type: VariableType | None, scope: Scope) -> None:
    async with opened(project) as wb:
        kind = type or await _known_type(wb, name)
        if value is not None and kind is VariableType.SECRET:
            raise UserError(
                f"{name} is a secret, and arguments of a command can be read by others on this machine.",
                hint=f"Leave the value away and type it when asked, or pipe it: … | workbench var set {name}",
            )
        # Looked at before a person types a secret that nothing could keep.
        if kind is VariableType.SECRET and (state := await wb.variables.vault_state()).name in NO_KEYRING:
            raise UserError(state.message, hint=instead_of_keyring(state, name))
        given = _read_value(name, kind) if value is None else value
        await wb.variables.set(name, given, scope, kind)
        say(f"{name} is set ({kind}, {scope}{'' if given else ', empty'}).")
        await _warn(wb, [name], scope)


async def _warn(wb: Workbench, names: Sequence[str], scope: Scope) -> None:
    """Of what was set: what another value hides (V1), and what cannot be hidden (V6)."""
    for line in await wb.variables.lines():
        if line.name not in names or line.scope is None:
            continue
        if line.scope is not scope:
            free = as_typed("var", "unset", line.name, "--scope", line.scope)
            say(
                f"{line.name} has a value of {line.scope} scope, too, which comes first. To remove it: {free}"
            )
        elif line.too_short:
            say(f"{line.name} is too short to be hidden: it shows where it turns up.")


async def _known_type(wb: Workbench, name: str) -> VariableType:
    lines = await wb.variables.lines()
    return next((line.type for line in lines if line.name == name), VariableType.SECRET)


def _read_value(name: str, type: VariableType) -> str:
    if sys.stdin.isatty():
        answer: str = click.prompt(
            f"Value of {name}",
            hide_input=type is VariableType.SECRET,
            default="",
            show_default=False,
            err=True,
        )
        return answer
    return sys.stdin.read().removesuffix("\n").removesuffix("\r")


@var.command("unset")
@click.argument("name")
@_scope_option
@project_options
def unset_variable(project: Path, name: str, scope: Scope) -> int:
    """Remove a variable's value."""
    if not asyncio.run(_unset(project, name, scope)):
        raise NotThere(
            f"{name} has no value at {scope} scope.", hint="`workbench var list` shows what is set."
        )
    say(f"{name} has no value at {scope} scope any more.")
    return Exit.OK


async def _unset(project: Path, name: str, scope: Scope) -> bool:
    async with opened(project, load=False) as wb:
        return await wb.variables.unset(name, scope)


@var.command("import")
@click.argument("file", type=click.File("rb"))
@_scope_option
@project_options
def import_variables(project: Path, file: IO[bytes], scope: Scope) -> int:
    """Set variables from a .env file (- for stdin): lines of NAME=value."""
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            "The file is not UTF-8 text.", hint="Save it as UTF-8; nothing was imported."
        ) from error
    asyncio.run(_import(project, text, scope))
    return Exit.OK


async def _import(project: Path, text: str, scope: Scope) -> None:
    from workbench.app.variables.env_file import Fate

    async with opened(project) as wb:
        plan = await wb.variables.plan_env(text, scope)
        replaced = [item.name for item in plan if item.fate is Fate.REPLACED]
        found = await wb.variables.import_env(text, scope)
        found.check()
        fresh = [name for name in found.done if name not in replaced]
        if fresh:
            say(f"Set {', '.join(fresh)}.")
        if replaced:
            say(f"Replaced {', '.join(replaced)}.")
        if not found.done:
            say("Nothing to set: no line says NAME=value.")
        await _warn(wb, found.done, scope)
