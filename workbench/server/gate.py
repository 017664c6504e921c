"""The gate: who may ask at all, and who that is. Host, Origin, token and kind of content come before anything (H1)."""

from __future__ import annotations

import hmac
import ipaddress
import logging
import time
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.base.clock import Clock
from workbench.base.errors import BugError, WorkbenchError
from workbench.domain.auth import Auth
from workbench.domain.serving import RequestLine
from workbench.server.answers import Refused, refused
from workbench.server.requests import RequestLog

_log = logging.getLogger(__name__)

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_JSON = "application/json"
_CALLER = "workbench.caller"


def caller_of(request: Request) -> Auth:
    """Who asks, by the token that the gate has seen."""
    return request.scope[_CALLER]


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach what listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Gate:
    """An ASGI application in front of another one.

    `callers` are told by their tokens; `stranger` is whoever shows none of these, None lets nobody else in. `hosts`
    are names, beside those of this machine, under which the server may be addressed: any other name may be a trick of
    a web page that a browser was lured to.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        callers: Mapping[str, Auth],
        stranger: Auth | None,
        hosts: Collection[str],
        log: RequestLog,
        clock: Clock,
    ) -> None:
        self._app = app
        self._callers = [(token.encode(), caller) for token, caller in callers.items()]
        self._stranger = stranger
        self._hosts = _LOOPBACK_NAMES | frozenset(host.lower() for host in hosts)
        self._log = log
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, began = 0, time.perf_counter()

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            response = self._obstacle(scope)
            if response is not None:
                await response(scope, receive, told)
            else:
                await self._app(scope, receive, told)
        except Exception as error:
            if isinstance(error, BugError) or not isinstance(
                error, WorkbenchError
            ):  # else its words were the answer
                _log.exception("A request failed")
        finally:
            took = (time.perf_counter() - began) * 1000
            line = RequestLine(
                at=self._clock.now_us(),
                method=scope["method"],
                path=scope["path"],
                status=status,
                duration_ms=round(took, 1),
                caller=scope[_CALLER].principal if _CALLER in scope else "",
            )
            self._log.add(line)

    def _obstacle(self, scope: Scope) -> Response | None:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name, []).append(value)
        try:
            self._check_place(headers)
            scope[_CALLER] = self._caller(headers)
            if scope["method"] == "POST":
                _check_content(headers)
        except Refused as error:
            extra = {"WWW-Authenticate": "Bearer"} if error.code == "unauthorized" else {}
            return refused(error.code, error.message, extra)
        return None

    def _check_place(self, headers: Mapping[bytes, list[bytes]]) -> None:
        given = headers.get(b"host", [])
        place = given[0].decode("latin-1") if len(given) == 1 else ""
        name = _host_name(place)
        if name is None or not (name in self._hosts or _is_loopback_address(name)):
            raise Refused("forbidden_host", "This server is not addressed by that name.")
        for origin in headers.get(b"origin", []):
            scheme, _, rest = origin.decode("latin-1").lower().partition("://")
            if scheme not in ("http", "https") or rest != place.lower():
                raise Refused("forbidden_origin", "A page of another place may not call this server.")

    def _caller(self, headers: Mapping[bytes, list[bytes]]) -> Auth:
        given = headers.get(b"authorization", [])
        scheme, _, token = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        shown = token.strip() if scheme.lower() == b"bearer" else b""
        # All of them are compared, so that the time it takes tells nothing.
        found = [caller for known, caller in self._callers if hmac.compare_digest(shown, known)]
        caller = found[0] if found else self._stranger
        if caller is None:
            raise Refused("unauthorized", "Send the server's token as: Authorization: Bearer TOKEN")
        return caller


def _host_name(place: str) -> str | None:
    """The name in a Host header, without its port; None for what is none."""
    try:
        parts = urlsplit(f"//{place}")
        parts.port  # noqa: B018  (raises when it is none)
    except ValueError:
        return None
    return parts.hostname if parts.netloc == place and parts.username is None else None


def _is_loopback_address(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _check_content(headers: Mapping[bytes, list[bytes]]) -> None:
    kind = headers.get(b"content-type", [b""])[0].decode("latin-1").partition(";")[0].strip().lower()
    if kind != _JSON:
        raise Refused("unsupported_media_type", f"Send JSON, with the header Content-Type: {_JSON}.")
    if headers.get(b"content-encoding", [b"identity"]) != [b"identity"]:
        raise Refused("unsupported_media_type", "Send the body as it is, not compressed.")
