"""Calling a tool through a server: the same record, the same refusals, whoever runs it (H2)."""

from __future__ import annotations

import http.client
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from workbench.base.errors import RunError, UserError
from workbench.base.exact_json import JsonError, dump, parse, parse_object
from workbench.domain.tokens import TOKEN, TOKEN_VARIABLE

_HINTS = {"unauthorized": f"This command sends what {TOKEN_VARIABLE} holds in its environment."}


class Refusal(UserError):
    """The server did not serve the call; `code` says why, `text` is its whole answer."""

    def __init__(self, code: str, message: str, text: str) -> None:
        super().__init__(message, hint=_HINTS.get(code, ""))
        self.code = code
        self.text = text


@dataclass(frozen=True, slots=True)
class Record:
    """A record as the server sent it."""

    text: str
    is_error: bool


def call(url: str, project: Path, tool: str, source: bytes, options: Mapping[str, object]) -> Record:
    """Call a tool of the project that is served at `url`, with the token of WORKBENCH_TOKEN.

    Raises Refusal, UserError for an input that cannot be read, RunError when the server cannot be reached.
    """
    text = _sent(url, project, tool, _body(source, options))
    try:
        answer = parse_object(text)
    except JsonError as error:
        raise RunError(f"What answers at {url} is no server of Workbench.", detail=text[:400]) from error
    if answer.get("ok") is True:
        return Record(text, answer.get("isError") is True)
    error = answer.get("error")
    told = error if isinstance(error, dict) else {}
    raise Refusal(str(told.get("code", "")), str(told.get("message", "The call was refused.")), text)


def _body(source: bytes, options: Mapping[str, object]) -> bytes:
    body = {name: value for name, value in options.items() if value not in (None, False)}
    if source.strip():
        try:
            body["input"] = parse(source)
        except JsonError as error:
            words = f"The input cannot be read: {error.message}."
            raise UserError(words, hint=error.hint or "Send one complete JSON object.") from error
    return dump(body).encode()


def _sent(url: str, project: Path, tool: str, body: bytes) -> str:
    connection, base = _connection(url)
    base = base or f"/{_slug(project)}"
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get(TOKEN_VARIABLE):
        if not TOKEN.fullmatch(token):  # the library's own words would repeat it
            raise UserError(f"{TOKEN_VARIABLE} is no token that a server gives.", hint="Copy it again.")
        headers["Authorization"] = f"Bearer {token}"
    try:
        connection.request("POST", f"{base}/v1/tools/{quote(tool)}", body, headers)
        return connection.getresponse().read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        raise RunError(
            f"The server at {url} cannot be reached: {getattr(error, 'strerror', None) or error}.",
            hint="Start it with `workbench serve`.",
        ) from error
    finally:
        connection.close()


def _connection(url: str) -> tuple[http.client.HTTPConnection, str]:
    """A connection to the server at an address, and the path of that. Raises UserError for what is none."""
    kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
    try:
        parts = urlsplit(url)
        if not parts.hostname:
            raise ValueError(url)
        return kinds[parts.scheme](parts.hostname, parts.port), parts.path.rstrip("/")
    except (KeyError, ValueError, http.client.InvalidURL):
        raise UserError(
            f"{url} is no address of a server.", hint="Write it as http://127.0.0.1:3000"
        ) from None


def _slug(project: Path) -> str:
    from workbench.project.folder import project_slug
    from workbench.project.settings_file import read_settings

    return project_slug(project, read_settings(project).settings.name)
