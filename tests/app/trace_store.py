"""A trace store on this machine: takes OTLP over HTTP, reads it by the protocol's own definition, and remembers."""

from __future__ import annotations

import asyncio
import gzip
import http.server
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

LONG = 30.0


@dataclass(frozen=True)
class Taken:
    """A span as it arrived."""

    wire: WireSpan
    resource: dict[str, object]

    @property
    def name(self) -> str:
        return self.wire.name

    @property
    def id(self) -> bytes:
        return self.wire.span_id

    @property
    def attributes(self) -> dict[str, object]:
        return {pair.key: _plain(pair.value) for pair in self.wire.attributes}


def _plain(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_plain(one) for one in value.array_value.values]
    return None if kind is None else getattr(value, kind)


@dataclass
class TraceStore:
    """`refuse_with`: the status that it answers instead of taking any; `leave_out`: spans that it says it refused;
    `repeats_headers`: answers with what it was sent in them; `drips`: its answers have no end."""

    url: str = ""
    refuse_with: int | None = None
    leave_out: int = 0
    repeats_headers: bool = False
    drips: bool = False
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    bodies: list[bytes] = field(default_factory=list[bytes])
    spans: list[Taken] = field(default_factory=list[Taken])
    _arrived: threading.Condition = field(default_factory=threading.Condition)

    def take(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        with self._arrived:
            self.headers.append({"path": path, **headers})
            if self.refuse_with is None:
                self.bodies.append(body)
                request = ExportTraceServiceRequest.FromString(body)
                for group in request.resource_spans:
                    resource = {pair.key: _plain(pair.value) for pair in group.resource.attributes}
                    self.spans += [
                        Taken(span, resource) for scope in group.scope_spans for span in scope.spans
                    ]
            self._arrived.notify_all()
        answer = ExportTraceServiceResponse()
        if self.leave_out:
            refused = ExportTracePartialSuccess(rejected_spans=self.leave_out, error_message="too old")
            answer.partial_success.CopyFrom(refused)
        if self.repeats_headers:
            return self.refuse_with or 200, repr(headers.get("authorization")).encode()
        return self.refuse_with or 200, answer.SerializeToString()

    async def until(self, *names: str) -> None:
        """Wait until spans of all these names are here."""
        await asyncio.to_thread(self._wait, names)

    def _wait(self, names: tuple[str, ...]) -> None:
        with self._arrived:
            came = self._arrived.wait_for(lambda: set(names) <= {span.name for span in self.spans}, LONG)
            assert came, f"{names} are not all in {[span.name for span in self.spans]}"

    async def until_asked(self, times: int) -> None:
        """Wait until it has been sent something so many times, taken or not."""

        def wait() -> None:
            with self._arrived:
                assert self._arrived.wait_for(lambda: len(self.headers) >= times, LONG)

        await asyncio.to_thread(wait)

    def named(self, name: str) -> Taken:
        """The one span of this name."""
        (found,) = self.all_named(name)
        return found

    def all_named(self, name: str) -> list[Taken]:
        """The spans of this name, each once: a delivery that was broken off comes again, with the same ids."""
        return list({span.id: span for span in self.spans if span.name == name}.values())


@contextmanager
def trace_store() -> Generator[TraceStore]:
    """A store that listens while inside."""
    store = TraceStore()
    closing = threading.Event()

    class Door(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            status, answer = store.take(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            self.send_response(status)
            self.send_header("Content-Type", "application/x-protobuf")
            if store.drips:
                self._drip()
                return
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def _drip(self) -> None:
            self.end_headers()
            self.close_connection = True
            with suppress(OSError):
                while not closing.wait(0.05):
                    self.wfile.write(b"x")

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: a test looks at what came."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    store.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield store
    finally:
        closing.set()
        server.shutdown()
        thread.join(LONG)
        server.server_close()
