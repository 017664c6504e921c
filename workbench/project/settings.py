"""What a project's workbench.toml may say (H6): every setting with its type, its default and what it does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field
from pydantic.fields import FieldInfo

from workbench.base.exact_json import JsonError, dump
from workbench.domain.connections import REFERENCE
from workbench.domain.value import Value

_RETENTION = re.compile(r"([1-9][0-9]{0,8}) ?(days?|MB|GB)")
_UNITS = {"MB": 10**6, "GB": 10**9}


class Retention(Value):
    """How much history is kept: the calls of so many days, or so many bytes. None is no bound."""

    days: int | None = None
    size: int | None = None

    @property
    def text(self) -> str:
        """As it is written in the file: `90 days`, `2 GB`, `off`."""
        if self.days is not None:
            return f"{self.days} day{'s' * (self.days > 1)}"
        if self.size is not None:
            unit = "MB" if self.size % _UNITS["GB"] else "GB"
            return f"{self.size // _UNITS[unit]} {unit}"
        return "off"


def _parse_retention(text: object) -> object:
    if isinstance(text, Retention):
        return text
    if text == "off":
        return Retention()
    found = _RETENTION.fullmatch(text) if isinstance(text, str) else None
    if not found:
        raise ValueError("neither off, nor days, nor a size")
    number, unit = int(found[1]), found[2]
    return Retention(size=number * _UNITS[unit]) if unit in _UNITS else Retention(days=number)


def _check_url(url: object) -> object:
    parts = urlsplit(url) if isinstance(url, str) else None
    # Looking at the port raises ValueError when it is none.
    if not parts or parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0:
        raise ValueError("no http address")
    if parts.username is not None:
        raise ValueError("a password does not belong here")
    return url


def _check_reference(text: object) -> object:
    if not isinstance(text, str) or not REFERENCE.fullmatch(text):
        raise ValueError("no variable")
    return text


def _check_json(table: object) -> object:
    try:
        dump(table)
    except JsonError as error:  # a date, or a number that is none
        raise ValueError("no JSON") from error
    return table


@dataclass(frozen=True, slots=True)
class Says:
    """What a setting's value must be, in words that follow “must be”, and what it does."""

    expects: str
    doc: str


Text = Annotated[str, Field(min_length=1, max_length=4_096, strict=True)]
Switch = Annotated[bool, Field(strict=True)]
Port = Annotated[int, Field(ge=1, le=65_535, strict=True)]
Url = Annotated[Text, BeforeValidator(_check_url)]
WithVariables = Annotated[str, Field(max_length=4_096, strict=True)]
"""A text in which `${NAME}` stands for the value of a variable."""


class CallerSettings(Value):
    """`[server.callers.NAME]`: somebody who calls with a token of their own, and is the principal NAME (H7)."""

    token: Annotated[
        Annotated[str, BeforeValidator(_check_reference)] | None,
        Says('"${NAME}", for a variable', "The secret that this caller sends as the bearer token."),
    ] = None
    attributes: Annotated[
        Annotated[Mapping[str, object], BeforeValidator(_check_json)],
        Says("a table of texts, numbers, switches, lists and tables", "What tools are told of this caller."),
    ] = {}


class ServerSettings(Value):
    """`[server]`: calls over HTTP."""

    port: Annotated[Port, Says("a whole number from 1 to 65535", "The port that the server listens on.")] = (
        3000
    )
    auth: Annotated[Switch, Says("true or false", "Whether callers must send the bearer token.")] = True
    callers: Mapping[str, CallerSettings] = {}


class ConnectionSettings(Value):
    """`[connections.NAME]`: an MCP server whose tools stand beside the project's own."""

    command: Annotated[
        Text | None,
        Says(
            "the name or path of a program",
            "The program that is started and spoken to over stdin and stdout.",
        ),
    ] = None
    args: Annotated[
        tuple[Annotated[str, Field(strict=True)], ...], Says("a list of texts", "Arguments of the program.")
    ] = ()
    url: Annotated[
        Url | None,
        Says("an http or https address without a password", "The address of a server that runs already."),
    ] = None
    env: Annotated[
        Mapping[str, WithVariables],
        Says("a table of texts", "Environment of the program; ${NAME} takes the value of a variable."),
    ] = {}
    headers: Annotated[
        Mapping[str, WithVariables],
        Says(
            "a table of texts", "Headers of every request to the url; ${NAME} takes the value of a variable."
        ),
    ] = {}
    advertise_tools: Annotated[
        Switch, Says("true or false", "Whether the connection's tools are offered to models.")
    ] = True


class SandboxSettings(Value):
    """`[sandbox]`: what TypeScript tools may reach."""

    allow_hosts: Annotated[
        tuple[Text, ...], Says("a list of host names", "Hosts that TypeScript tools may call.")
    ] = ()


class TraceSettings(Value):
    """`[traces]`: where histories are handed to, as OpenTelemetry spans."""

    endpoint: Annotated[
        Url | None,
        Says(
            "an http or https address without a password",
            "Where spans are sent, as OTLP over HTTP; none are sent without it.",
        ),
    ] = None
    headers: Annotated[
        Mapping[str, WithVariables],
        Says("a table of texts", "Headers of every request to it; ${NAME} takes the value of a variable."),
    ] = {}
    content: Annotated[
        Switch,
        Says(
            "true or false",
            "Whether what was said, and the arguments and results of calls, are sent, too; secrets never are.",
        ),
    ] = False


class StoreSettings(Value):
    """`[store]`: how long histories are kept."""

    retention: Annotated[
        Retention,
        BeforeValidator(_parse_retention),
        Says(
            '"off", or an age or size such as "90 days" or "2 GB"',
            "How much history is kept, by age or by size.",
        ),
    ] = Retention()


class Settings(Value):
    """A project's settings, each one valid: what the file got wrong stands at its default."""

    name: Annotated[
        Text | None, Says("a text", "The project's name in addresses; the folder's name if there is none.")
    ] = None
    python: Annotated[
        Text | None,
        Says(
            "a path, or the name of a program",
            "The Python interpreter that runs the project's tools, or the folder of its environment.",
        ),
    ] = None
    server: ServerSettings = ServerSettings()
    connections: Mapping[str, ConnectionSettings] = {}
    sandbox: SandboxSettings = SandboxSettings()
    store: StoreSettings = StoreSettings()
    traces: TraceSettings = TraceSettings()


TABLES: Mapping[str, type[Value]] = {
    "server": ServerSettings,
    "sandbox": SandboxSettings,
    "store": StoreSettings,
    "traces": TraceSettings,
}
"""The tables that stand once, by name."""


def says(field: FieldInfo) -> Says | None:
    """The words of a setting; None for a table of settings."""
    return next((entry for entry in field.metadata if isinstance(entry, Says)), None)
