"""What a TypeScript tool fetches: only from hosts that the project allows, each time told with the call (X4)."""

from __future__ import annotations

import asyncio
import base64
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.sandbox.typescript_folder import TypescriptFolder
from workbench.engine.ports import StateError
from workbench.sandbox.fetching import Fetched, Fetcher, is_allowed

pytestmark = pytest.mark.rule("X4")


class Site(BaseHTTPRequestHandler):
    """Echoes what it was sent; some paths misbehave."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/away":
            self._answer(302, b"", location="http://elsewhere.invalid/")
        elif self.path == "/round":
            self._answer(302, b"", location="/round")
        elif self.path == "/moved":
            self._answer(303, b"", location="/here?x=1")
        elif self.path == "/cut":
            self.send_response(200)
            self.send_header("content-length", "100")
            self.end_headers()
            self.wfile.write(b"short")
            self.close_connection = True
        elif self.path == "/never":
            self.server.asked.set()  # type: ignore[attr-defined]
            self.rfile.read(1)
        else:
            size = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(size)
            told = f"{self.command} {self.path} {self.headers.get('x-mark')} {body.decode()}"
            self._answer(200, told.encode())

    do_POST = do_GET  # noqa: N815  (as the base class calls it)

    def _answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on stderr."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Site)
        self.asked = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@pytest.fixture
def site() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def fetcher() -> Iterator[Fetcher]:
    made = Fetcher(lambda: ["127.0.0.1"])
    yield made
    made.close()


def request(url: str, **more: object) -> dict[str, object]:
    return {"url": url, "method": "GET", "headers": [], "body": None, "redirect": "follow", **more}


async def test_an_allowed_host_is_asked_and_the_call_is_told_of_it(site: Server, fetcher: Fetcher) -> None:
    told: list[Fetched] = []
    body = base64.b64encode("hé".encode()).decode()

    answer = await fetcher.fetch(
        request(f"{site.address}/a?b=1", method="POST", headers=[["x-mark", "m"]], body=body), told.append
    )

    assert answer["status"] == 200
    assert base64.b64decode(str(answer["body"])).decode() == "POST /a?b=1 m hé"
    assert [(one.method, one.url, one.status) for one in told] == [("POST", f"{site.address}/a?b=1", 200)]


@pytest.mark.parametrize(
    ("path", "redirect", "code", "words"),
    [
        ("/away", "follow", "NotAllowed", 'allow_hosts = ["elsewhere.invalid"]'),
        ("/round", "follow", "ERR_REDIRECT", "more than 20 times"),
        ("/moved", "error", "ERR_REDIRECT", "redirects to"),
        ("/cut", "follow", "ECONNRESET", "in the middle"),
    ],
)
async def test_what_cannot_be_fetched_is_refused_in_words(
    site: Server, fetcher: Fetcher, *, path: str, redirect: str, code: str, words: str
) -> None:
    with pytest.raises(StateError) as refused:
        await fetcher.fetch(request(site.address + path, redirect=redirect), lambda _: None)

    assert refused.value.type == code
    assert words in refused.value.message


async def test_a_redirect_is_followed_as_browsers_do(site: Server, fetcher: Fetcher) -> None:
    answer = await fetcher.fetch(request(f"{site.address}/moved", method="POST", body="YQ=="), lambda _: None)

    assert base64.b64decode(str(answer["body"])).decode() == "GET /here?x=1 None "
    assert (answer["redirected"], answer["url"]) == (True, f"{site.address}/here?x=1")


@pytest.mark.parametrize(
    "url", ["https://example.com/", "http://localhost/", "file:///etc/passwd", "nonsense"]
)
async def test_nothing_else_is_reached(fetcher: Fetcher, url: str) -> None:
    told: list[Fetched] = []

    with pytest.raises(StateError):
        await fetcher.fetch(request(url), told.append)

    assert [one.status for one in told] == [None]


async def test_nothing_is_allowed_until_the_person_says_so(site: Server) -> None:
    fetcher = Fetcher(tuple)
    with pytest.raises(StateError, match="does not allow calls to 127"):
        await fetcher.fetch(request(site.address), lambda _: None)
    fetcher.close()


async def test_a_host_that_is_not_there_says_so(fetcher: Fetcher) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        port = taken.getsockname()[1]
        with pytest.raises(StateError) as refused:
            await fetcher.fetch(request(f"http://127.0.0.1:{port}/"), lambda _: None)

    assert refused.value.type == "ECONNREFUSED"


async def test_a_cancelled_fetch_breaks_its_connection_off(site: Server, fetcher: Fetcher) -> None:
    task = asyncio.create_task(fetcher.fetch(request(f"{site.address}/never"), lambda _: None))
    await asyncio.to_thread(site.asked.wait, 30)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 30)

    again = await asyncio.wait_for(fetcher.fetch(request(f"{site.address}/x"), lambda _: None), 30)
    assert again["status"] == 200


async def test_what_was_stopped_while_it_connected_is_not_sent(
    site: Server, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    connecting, goes_on = threading.Event(), threading.Event()
    connect = socket.create_connection

    def slow(*given: Any, **more: Any) -> socket.socket:
        connecting.set()
        goes_on.wait(30)
        return connect(*given, **more)

    monkeypatch.setattr(socket, "create_connection", slow)
    task = asyncio.create_task(fetcher.fetch(request(f"{site.address}/never"), lambda _: None))
    await asyncio.to_thread(connecting.wait, 30)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 30)
    goes_on.set()
    fetcher.close()
    for thread in [one for one in threading.enumerate() if one.name.startswith("fetch")]:
        await asyncio.to_thread(thread.join, 30)

    assert not site.asked.is_set()


async def test_a_tool_gives_a_fetch_up_when_its_signal_says_so(site: Server, tmp_path: Path) -> None:
    folder = TypescriptFolder(tmp_path, allowed_hosts=["127.0.0.1"])
    asks = f"fetch('{site.address}/never', {{ signal: AbortSignal.timeout(20) }})"
    given = await folder.value(
        folder.tool("waits", f"execute: async () => {asks}.catch((error) => error.name)")
    )
    await folder.close()

    assert given == "TimeoutError"


@pytest.mark.parametrize(
    ("entry", "url", "allowed"),
    [
        ("api.example", "https://api.example/x", True),
        ("api.example", "https://API.example/x", True),
        ("api.example", "https://evil.example/", False),
        ("api.example", "https://api.example.evil.com/", False),
        ("api.example", "https://api.example@evil.com/", False),
        ("*.example", "https://a.b.example/", True),
        ("*.example", "https://example/", False),
        ("api.example:8443", "https://api.example:8443/", True),
        ("api.example:8443", "https://api.example/", False),
        ("api.example:443", "https://api.example/", True),
        ("*", "http://anything/", True),
        ("[::1]", "http://[::1]:3000/", True),
        ("[::1]:3000", "http://[::1]:3000/", True),
        ("[::1]:3000", "http://[::1]:3001/", False),
        ("[::1]", "http://[::2]/", False),
    ],
)
def test_an_entry_names_a_host_and_perhaps_a_port(entry: str, url: str, allowed: bool) -> None:
    assert is_allowed(urlsplit(url), [entry]) is allowed
