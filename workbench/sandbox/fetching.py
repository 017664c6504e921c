"""`fetch` of a TypeScript definition: only to hosts that the project allows, and told with the call (X4)."""

from __future__ import annotations

import asyncio
import base64
import http.client
import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit

from workbench.engine.ports import StateError

MOST_BYTES = 32 << 20
"""A longer answer is refused: it would go through the tool's memory more than once."""

_ENTRY = re.compile(r"(?P<host>\[[0-9a-f:.]+\]|[^:]*)(?::(?P<port>\d*))?")
_CONNECT_SECONDS = 30.0
"""Nothing breaks a connection off that is not there yet."""
_MOST_REDIRECTS = 20
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ASKED_AGAIN_WITH_GET = frozenset({301, 302, 303})
_OURS = frozenset({"host", "content-length", "connection", "transfer-encoding"})


@dataclass(frozen=True, slots=True)
class Fetched:
    """What is told of one fetch: no body and no headers, which may hold secrets that nobody knows."""

    method: str
    url: str
    status: int | None
    milliseconds: int


class Fetcher:
    """`allowed` gives the hosts as they are set now: `api.example`, `api.example:8443`, `*.example`, or `*`."""

    def __init__(self, allowed: Callable[[], Sequence[str]]) -> None:
        self._allowed = allowed
        self._lane = ThreadPoolExecutor(8, thread_name_prefix="fetch")

    async def fetch(self, params: Mapping[str, object], tell: Callable[[Fetched], None]) -> dict[str, object]:
        """The answer in the wire form of guest/fetch.js. Raises StateError when it is not allowed or fails.

        Cancelling breaks the connection off.
        """
        request = _Request(self._allowed, params)
        began = time.monotonic()
        answer: dict[str, object] | None = None
        try:
            running = asyncio.get_running_loop().run_in_executor(self._lane, request.answer)
            answer = await running
            return answer
        except asyncio.CancelledError:
            request.break_off()
            raise
        finally:
            status = answer["status"] if answer else None
            taken = round((time.monotonic() - began) * 1000)
            tell(Fetched(request.method, request.url, status if isinstance(status, int) else None, taken))

    def close(self) -> None:
        self._lane.shutdown(wait=False, cancel_futures=True)


class _Request:
    def __init__(self, allowed: Callable[[], Sequence[str]], params: Mapping[str, object]) -> None:
        self.method = str(params["method"])
        self.url = str(params["url"])
        self._headers = {str(name): str(value) for name, value in _pairs(params["headers"])}
        body = params["body"]
        self._body = base64.b64decode(body) if isinstance(body, str) else None
        self._redirect = str(params["redirect"])
        self._allowed = allowed
        self._connection: http.client.HTTPConnection | None = None
        self._is_broken_off = False

    def answer(self) -> dict[str, object]:
        """In a thread of its own."""
        try:
            return self._follow()
        except TimeoutError as error:
            raise _refusal("ETIMEDOUT", f"{self._host} did not answer in time.") from error
        except ConnectionRefusedError as error:
            raise _refusal("ECONNREFUSED", f"{self._host} refused the connection.") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _refusal("ECONNRESET", f"{self._host}: {error or type(error).__name__}") from error
        finally:
            self._close()

    def break_off(self) -> None:
        """From any thread: whatever waits for the other side ends."""
        self._is_broken_off = True
        connection = self._connection
        if connection is not None and connection.sock is not None:
            try:
                connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return

    @property
    def _host(self) -> str:
        return urlsplit(self.url).netloc.rpartition("@")[2]

    def _follow(self) -> dict[str, object]:
        redirected = False
        for _ in range(_MOST_REDIRECTS + 1):
            response = self._send(urlsplit(self.url))
            target = response.headers.get("location")
            if response.status not in _REDIRECTS or target is None or self._redirect == "manual":
                return self._read(response, redirected=redirected)
            if self._redirect == "error":
                raise _refusal("ERR_REDIRECT", f"{self._host} redirects to {target}.")
            self._turn_to(response.status, urljoin(self.url, target))
            redirected = True
        raise _refusal("ERR_REDIRECT", f"{self._host} redirects more than {_MOST_REDIRECTS} times.")

    def _turn_to(self, status: int, url: str) -> None:
        before, now = urlsplit(self.url), urlsplit(url)
        self._close()
        self.url = url
        if status in _ASKED_AGAIN_WITH_GET and self.method not in {"GET", "HEAD"}:
            self.method, self._body = "GET", None
            self._headers.pop("content-type", None)
        if (before.scheme, before.netloc) != (now.scheme, now.netloc):
            for name in ("authorization", "cookie", "proxy-authorization"):
                self._headers.pop(name, None)

    def _send(self, url: SplitResult) -> http.client.HTTPResponse:
        self._check(url)
        host, port = url.hostname or "", url.port
        if url.scheme == "https":
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=_CONNECT_SECONDS, context=context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=_CONNECT_SECONDS)
        self._connection = connection
        connection.connect()
        if self._is_broken_off:  # while there was no connection to break off
            raise _refusal("ABORT_ERR", "The call was stopped.")
        connection.sock.settimeout(None)
        target = f"{url.path or '/'}?{url.query}" if url.query else url.path or "/"
        headers = {name: value for name, value in self._headers.items() if name.lower() not in _OURS}
        headers.setdefault("user-agent", "workbench")
        headers.setdefault("accept", "*/*")
        connection.request(self.method, target, body=self._body, headers=headers)
        return connection.getresponse()

    def _check(self, url: SplitResult) -> None:
        if url.scheme not in {"http", "https"} or not url.hostname:
            raise _refusal("ERR_INVALID_URL", f"{self.url} is no address of the web.")
        if not is_allowed(url, self._allowed()):
            host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
            raise StateError(
                "NotAllowed",
                f"This project does not allow calls to {host}. Add it to workbench.toml: [sandbox] "
                f'allow_hosts = ["{host}"]',
            )

    def _read(self, response: http.client.HTTPResponse, *, redirected: bool) -> dict[str, object]:
        body = response.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            raise _refusal("ERR_TOO_LARGE", f"{self._host} answered with more than {MOST_BYTES >> 20} MiB.")
        if response.length:
            raise _refusal("ECONNRESET", f"{self._host} broke off in the middle of its answer.")
        return {
            "status": response.status,
            "statusText": response.reason,
            "headers": [[name, value] for name, value in response.getheaders()],
            "body": base64.b64encode(body).decode("ascii"),
            "url": self.url,
            "redirected": redirected,
        }

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def is_allowed(url: SplitResult, allowed: Sequence[str]) -> bool:
    """Whether one of the entries names the address's host; one with a port names that port alone."""
    host = (url.hostname or "").lower()
    port = url.port or (443 if url.scheme == "https" else 80)
    for entry in allowed:
        written = _ENTRY.fullmatch(entry.lower().strip())
        if written is None or (written["port"] and written["port"] != str(port)):
            continue
        name = written["host"].strip("[]")
        if name in {"*", host} or (name.startswith("*.") and host.endswith(name[1:])):
            return True
    return False


def _pairs(headers: object) -> Sequence[tuple[object, object]]:
    return [(pair[0], pair[1]) for pair in headers] if isinstance(headers, list) else []  # pyright: ignore[reportUnknownVariableType]


def _refusal(code: str, message: str) -> StateError:
    return StateError(code, message)
