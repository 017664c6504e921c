"""Reading workbench.toml: key by key, so that one bad value costs that value and nothing else (H6)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Container, Generator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from pydantic import ValidationError

from workbench.domain.auth import LOCAL
from workbench.domain.connections import REFERENCE
from workbench.domain.definitions import Diagnostic, Severity
from workbench.domain.value import Value
from workbench.project.key_lines import Key, key_lines
from workbench.project.places import SETTINGS_FILE
from workbench.project.settings import (
    TABLES,
    CallerSettings,
    ConnectionSettings,
    Settings,
    TraceSettings,
    says,
)

LARGEST_FILE = 256 * 1024
"""Bytes; settings are written by hand."""

_LOOKS_SECRET = re.compile(
    r"(?i)(?:^|_)(?:key|secret|token|pass(?:word|wd)?|pat|auth(?:orization)?|cookie|credentials?)(?:_|$)|apikey"
)
_Table = TypeVar("_Table", bound=Value)
_AT_LINE = re.compile(r"\(at line (\d+), column (\d+)\)")


class ReadSettings(NamedTuple):
    """The settings that hold, and what is wrong with the file. Nothing in the file ever stops the start."""

    settings: Settings
    diagnostics: tuple[Diagnostic, ...] = ()
    lines: Mapping[Key, int] = {}
    """At which line each key stands."""


def read_settings(root: Path) -> ReadSettings:
    """Read the project's workbench.toml. Blocking; without a file every setting has its default."""
    path = root / SETTINGS_FILE
    try:
        if path.exists() and not path.is_file():  # a pipe would never end
            return _unusable(f"{SETTINGS_FILE} is not a file.")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        return ReadSettings(Settings())
    except OSError as error:
        return _unusable(f"{SETTINGS_FILE} cannot be read: {error.strerror}.")
    if len(data) > LARGEST_FILE:
        return _unusable(f"{SETTINGS_FILE} has more than {LARGEST_FILE:,} bytes.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return _unusable(f"{SETTINGS_FILE} is not UTF-8 text.", line)
    return parse_settings(text)


def parse_settings(text: str) -> ReadSettings:
    """The settings in the text of a workbench.toml."""
    text = text.replace("\r\n", "\n")
    try:
        document = tomllib.loads(text)
    except RecursionError:
        return _unusable(f"{SETTINGS_FILE} is nested too deep.")
    except ValueError as error:  # a syntax error, or a number of more digits than Python reads
        found = _AT_LINE.search(str(error))
        reason = _AT_LINE.sub("", str(error)).strip().rstrip(".")
        line, column = (int(found[1]), int(found[2])) if found else (text.count("\n") + 1, None)
        return _unusable(f"{SETTINGS_FILE} is not TOML: {reason}.", line, column)
    reading = _Reading(key_lines(text))
    settings = reading.settings(document)
    problems = sorted(reading.problems, key=lambda problem: problem.line or 0)
    return ReadSettings(settings, tuple(problems), reading.lines)


class _Reading:
    """One pass over a document; collects what is wrong with it."""

    def __init__(self, lines: Mapping[Key, int]) -> None:
        self.lines = lines
        self.problems: list[Diagnostic] = []

    def settings(self, document: Mapping[str, object]) -> Settings:
        self._report_unknown(Settings, document, ())
        values = self._fields(Settings, document, (), skip={*TABLES, "connections"})
        for name, model in TABLES.items():
            if name in document:
                values[name] = self._table(model, document[name], (name,), skip=("callers",))
        if isinstance(found := document.get("server"), dict):
            callers = self._callers(cast("dict[str, object]", found).get("callers", {}))
            values["server"] = values["server"].model_copy(update={"callers": callers})
        if isinstance(traces := values.get("traces"), TraceSettings):
            safe = self._without_secrets(traces.headers, ("traces", "headers"))
            values["traces"] = traces.model_copy(update={"headers": safe})
        if "connections" in document:
            values["connections"] = self._connections(document["connections"])
        return Settings(**values)

    def _table(self, model: type[_Table], found: object, at: Key, skip: Container[str] = ()) -> _Table:
        if not isinstance(found, dict):
            self._bad_value(at, f"`{_dotted(at)}` must be a table, [{_dotted(at)}].")
            return model()
        table = cast("dict[str, object]", found)
        self._report_unknown(model, table, at)
        return model(**self._fields(model, table, at, skip))

    def _tables(self, model: type[_Table], found: object, at: Key) -> Generator[tuple[str, _Table]]:
        """The tables below one, by name."""
        if not isinstance(found, dict):
            self._bad_value(at, f"`{_dotted(at)}` must hold tables, [{_dotted(at)}.NAME].")
            return
        for name, table in cast("dict[str, object]", found).items():
            read = self._table(model, table, (*at, name))
            if isinstance(table, dict):
                yield name, read

    def _fields(
        self,
        model: type[Value],
        table: Mapping[str, object],
        at: Key,
        skip: Container[str] = (),
    ) -> dict[str, Any]:
        """The table's valid values by field name."""
        values: dict[str, Any] = {}
        for name, field in model.model_fields.items():
            if name not in table or name in skip:
                continue
            try:
                values[name] = getattr(model.model_validate({name: table[name]}), name)
            except ValidationError:
                # Its words may repeat the value, and that may be a secret; ours do not.
                words = says(field)
                default = "" if field.default in (None, (), {}) else f"; {_shown(field.default)} is used"
                key = (*at, name)
                message = f"`{_dotted(key)}` must be {words.expects if words else 'a table'}{default}."
                self._bad_value(key, message, words.doc if words else "")
        return values

    def _callers(self, found: object) -> dict[str, CallerSettings]:
        at = ("server", "callers")
        callers: dict[str, CallerSettings] = {}
        for name, caller in self._tables(CallerSettings, found, at):
            key = (*at, name)
            if name in ("", LOCAL):
                self._bad_value(key, f"[{_dotted(key)}] must be another name; this one is left out.")
            elif caller.token is None:
                hint = f'Set a secret variable, and write token = "${{{_variable(name)}_TOKEN}}" here.'
                self._bad_value(key, f"[{_dotted(key)}] needs a token; it is left out.", hint)
            else:
                callers[name] = caller
        return callers

    def _connections(self, found: object) -> dict[str, ConnectionSettings]:
        connections: dict[str, ConnectionSettings] = {}
        for name, connection in self._tables(ConnectionSettings, found, ("connections",)):
            at = ("connections", name)
            if (connection.command is None) == (connection.url is None):
                self._bad_value(at, f"[{_dotted(at)}] needs either a command or a url; it is left out.")
            else:
                safe = {
                    field: self._without_secrets(getattr(connection, field), (*at, field))
                    for field in ("env", "headers")
                }
                connections[name] = connection.model_copy(update=safe)
        return connections

    def _without_secrets(self, values: Mapping[str, str], at: Key) -> dict[str, str]:
        """The table without values that look like secrets written down: those are not taken in at all (V4)."""
        kept: dict[str, str] = {}
        for name, value in values.items():
            if value and not REFERENCE.search(value) and _LOOKS_SECRET.search(name.replace("-", "_")):
                key = (*at, name)
                variable = _variable(name)
                self._problem(
                    "settings-plain-secret",
                    key,
                    f"`{_dotted(key)}` looks like a secret written into the file; it is not used.",
                    f'Set a secret variable {variable}, and write {name} = "${{{variable}}}" here.',
                )
            else:
                kept[name] = value
        return kept

    def _report_unknown(self, model: type[Value], table: Mapping[str, object], at: Key) -> None:
        for name in table:
            if name not in model.model_fields:
                near = _nearest(model, name)
                self._problem(
                    "settings-unknown-key",
                    (*at, name),
                    f"There is no setting `{_dotted((*at, name))}`.",
                    f"Did you mean `{_dotted((*at, *near))}`?"
                    if near
                    else f"There are: {', '.join(model.model_fields)}.",
                )

    def _bad_value(self, key: Key, message: str, hint: str = "") -> None:
        self._problem("settings-bad-value", key, message, hint)

    def _problem(self, code: str, key: Key, message: str, hint: str) -> None:
        line = next(
            (self.lines[key[:end]] for end in range(len(key), 0, -1) if key[:end] in self.lines), None
        )
        self.problems.append(
            Diagnostic(
                code=code,
                severity=Severity.WARNING,
                path=SETTINGS_FILE,
                line=line,
                name=_dotted(key),
                message=message,
                hint=hint,
            )
        )


def _unusable(message: str, line: int | None = None, column: int | None = None) -> ReadSettings:
    problem = Diagnostic(
        code="settings-syntax",
        severity=Severity.ERROR,
        path=SETTINGS_FILE,
        line=line,
        column=column,
        message=message,
        hint="Until it is mended every setting has its default.",
    )
    return ReadSettings(Settings(), (problem,))


def _variable(name: str) -> str:
    """A name for a variable that holds a secret of this name."""
    return re.sub(r"\W", "_", name, flags=re.ASCII).upper()


def _nearest(model: type[Value], name: str) -> Key:
    """The setting that is meant: one with nearly this name, else one of a table below; empty when there is none."""
    near = get_close_matches(name.lower().replace("-", "_"), model.model_fields, n=1)
    if near:
        return (near[0],)
    for table, field in model.model_fields.items():
        if name in getattr(field.annotation, "model_fields", {}):
            return (table, name)
    return ()


def _dotted(key: Key) -> str:
    return ".".join(key)


def _shown(default: object) -> str:
    if isinstance(default, bool):
        return str(default).lower()
    return str(default) if isinstance(default, int) else '"off"'
