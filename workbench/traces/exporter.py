"""Sending spans to a trace store: OTLP over HTTP, in protocol buffers."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Mapping, Sequence

import httpx2
from google.protobuf.message import DecodeError
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from workbench.base.errors import RunError
from workbench.traces.spans import Span, SpanEvent

PATIENCE = 10.0
"""Seconds that a store may take for a batch."""
BATCH = 100
"""Spans in one request: with contents they may be large."""
_PATH = "/v1/traces"
_SAID = 300
_LONGEST_ANSWER = 64 * 1024
_KINDS = {"internal": SpanKind.INTERNAL, "client": SpanKind.CLIENT}


class SpanExporter:
    """Sends to one address, as whoever the headers say. `resource` says what the spans are of."""

    def __init__(self, endpoint: str, headers: Mapping[str, str], resource: Mapping[str, str]) -> None:
        address = endpoint.rstrip("/")
        self.url = address if address.endswith(_PATH) else address + _PATH
        self._headers = {
            **headers,
            "Content-Type": "application/x-protobuf",
            "Content-Encoding": "gzip",
        }
        self._resource = resource
        self._client: httpx2.AsyncClient | None = None

    async def send(self, spans: Sequence[Span]) -> None:
        """Hand over all of them. Raises RunError with the reason when a batch was not taken; those before it were."""
        for first in range(0, len(spans), BATCH):
            body = await asyncio.to_thread(_encoded, spans[first : first + BATCH], self._resource)
            await self._post(body)

    async def _post(self, body: bytes) -> None:
        if self._client is None:
            self._client = await asyncio.to_thread(lambda: httpx2.AsyncClient(timeout=PATIENCE))
        request = self._client.stream("POST", self.url, content=body, headers=self._headers)
        try:
            async with asyncio.timeout(PATIENCE), request as response:
                answer = await _beginning(response)
        except TimeoutError:
            raise self._refusal(f"it did not answer within {PATIENCE:g} seconds") from None
        except (httpx2.LocalProtocolError, ValueError):  # their words repeat a header, which may be a secret
            raise self._refusal("a header cannot be sent") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise self._refusal(str(error) or type(error).__name__) from None
        if not response.is_success:
            reason = f"it answered {response.status_code} {response.reason_phrase}"
            said = answer.decode(errors="replace")[:_SAID]
            raise self._refusal(f"{reason}: {said}" if said.isprintable() else reason)
        if refused := _refused(answer):
            raise self._refusal(refused)

    def _refusal(self, reason: str) -> RunError:
        return RunError(
            f"Traces could not be handed to {self.url}: {reason.strip().rstrip('.:')}.",
            hint="Look at [traces] in workbench.toml; `workbench traces send` hands over what is missing.",
        )

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()


async def _beginning(response: httpx2.Response) -> bytes:
    """So much of an answer as is looked at: it may have no end."""
    answer = b""
    async for chunk in response.aiter_bytes():
        answer += chunk
        if len(answer) > _LONGEST_ANSWER:
            break
    return answer


def _encoded(spans: Sequence[Span], resource: Mapping[str, str]) -> bytes:
    return gzip.compress(encode_spans(_readable(spans, resource)).SerializeToString(), compresslevel=5)


def _refused(answer: bytes) -> str:
    """What a store says of spans that it left out; empty when it took all."""
    response = ExportTraceServiceResponse()
    try:
        response.ParseFromString(answer)
    except DecodeError:
        return ""  # some stores answer in JSON whatever they are sent; the status said that it was taken
    left_out = response.partial_success
    if not left_out.rejected_spans:
        return ""
    return f"{left_out.rejected_spans} spans were refused, {left_out.error_message[:_SAID] or 'without a reason'}"


def _readable(spans: Sequence[Span], resource: Mapping[str, str]) -> list[ReadableSpan]:
    whose, scope = Resource(dict(resource)), InstrumentationScope("workbench")
    return [
        ReadableSpan(
            name=span.name,
            context=_context(span.trace_id, span.span_id),
            parent=None if span.parent_id is None else _context(span.trace_id, span.parent_id),
            resource=whose,
            attributes=span.attributes,
            events=[_event(event) for event in span.events],
            kind=_KINDS[span.kind],
            status=Status(StatusCode.UNSET) if span.error is None else Status(StatusCode.ERROR, span.error),
            start_time=span.began * 1000,
            end_time=span.ended * 1000,
            instrumentation_scope=scope,
        )
        for span in spans
    ]


def _context(trace_id: int, span_id: int) -> SpanContext:
    return SpanContext(trace_id, span_id, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))


def _event(event: SpanEvent) -> Event:
    return Event(event.name, attributes=event.attributes, timestamp=event.at * 1000)
