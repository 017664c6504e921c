"""What is given in words: arguments as JSON, in a file, on stdin or one by one, and a text that may come from stdin."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from workbench.base import exact_json
from workbench.base.errors import UserError

STDIN = "-"

pairs_option = click.option(
    "--arg",
    "pairs",
    metavar="NAME=JSON",
    multiple=True,
    help="One argument: JSON, or a text that is none; may be given several times.",
)


def source_given(option: str, source: str) -> bytes:
    """The JSON that an option gives by itself, after @ by a file, or as - on stdin. Raises UserError."""
    if source == STDIN:
        return sys.stdin.buffer.read()
    if source.startswith("@"):
        return _read(option, source[1:])
    if not source.lstrip().startswith("{") and Path(source).is_file():
        raise UserError(
            f"{option} takes JSON, and {source} is a file.", hint=f"To read it: {option} @{source}"
        )
    return os.fsencode(source)


def pairs_given(pairs: Sequence[str]) -> Mapping[str, exact_json.JsonValue]:
    """The arguments that were given one by one. Raises click.UsageError."""
    arguments: dict[str, exact_json.JsonValue] = {}
    for pair in pairs:
        name, separator, text = pair.partition("=")
        if not (name and separator):
            raise click.UsageError(f"--arg takes NAME=JSON, not {pair}.")
        try:
            arguments[name] = exact_json.parse(text)
        except exact_json.JsonError:
            arguments[name] = text
    return arguments


def text_given(text: str) -> str:
    """A text, or what stdin has in its place."""
    return sys.stdin.read().rstrip("\n") if text == STDIN else text


def _read(option: str, name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise UserError(
            f"The file {name} cannot be read: {error.strerror}.",
            hint=f"{option} takes JSON text, @ and the name of a file, or - for stdin.",
        ) from error
