"""`POST /<project>/v1/tools/<name>`: a tool is called, and its record is the answer (H1)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import cast

from starlette.requests import Request
from starlette.responses import Response

from workbench.app import CallRefused, Workbench
from workbench.base.exact_json import JsonError, JsonValue, dump, parse_object
from workbench.domain.calls import Origin
from workbench.server.answers import STATUS, Refused, answered
from workbench.server.bodies import read_body
from workbench.server.gate import caller_of
from workbench.server.work import UnderWay

FIELDS: Mapping[str, Mapping[str, object]] = {
    "input": {"description": "The arguments."},
    "sessionId": {"type": "string", "description": "The session to call in."},
    "continuationToken": {"type": "string", "description": "<channel>:<key> in the place of sessionId."},
    "approve": {"type": "boolean", "description": "Approve beforehand what asks for an approval."},
    "dryRun": {
        "type": "boolean",
        "description": "Run what only reads, answer anything else with its stand-in.",
    },
    "timeout": {"type": "number", "exclusiveMinimum": 0, "description": "Seconds it may take."},
}
"""What a body may hold, as JSON Schema."""

_BIG = 256 * 1024
"""Bytes from which on a body is read in another thread: to say what is wrong with one takes a second a megabyte."""

_TYPES: Mapping[str, tuple[type, str]] = {
    "sessionId": (str, "a text"),
    "continuationToken": (str, "a text"),
    "approve": (bool, "true or false"),
    "dryRun": (bool, "true or false"),
}


class ToolCalls:
    """Serves the calls of one project."""

    def __init__(self, workbench: Workbench, under_way: UnderWay) -> None:
        self._workbench = workbench
        self._under_way = under_way

    async def serve(self, request: Request) -> Response:
        """One call. Its client may leave: it ends as it would."""
        text = await read_body(request, self._under_way)
        body, arguments = _read(text) if len(text) < _BIG else await asyncio.to_thread(_read, text)
        caller = caller_of(request)
        with self._under_way:
            try:
                record = await self._workbench.call_tool(
                    request.path_params["name"],
                    arguments,
                    session_id=cast("str | None", body.get("sessionId")),
                    continuation_token=cast("str | None", body.get("continuationToken")),
                    approve=body.get("approve") is True,
                    dry_run=body.get("dryRun") is True,
                    timeout=_seconds(body.get("timeout")),
                    origin=Origin.HTTP,
                    principal=caller.principal,
                    attributes=caller.attributes,
                )
            except CallRefused as refusal:
                return answered(dump(refusal.to_json()), STATUS[refusal.code])
        return answered(record.to_json_text())


def _read(text: bytes) -> tuple[dict[str, JsonValue], str]:
    """What a body says, and the arguments in it as JSON text."""
    try:
        body = parse_object(text)
    except JsonError as error:
        raise Refused("invalid_request", f"The body cannot be read: {error.message}.") from error
    unknown = sorted(body.keys() - FIELDS.keys())
    if unknown:
        known = ", ".join(FIELDS)
        raise Refused("invalid_request", f"There is no field {unknown[0]} in a body; there are {known}.")
    for name, (kind, words) in _TYPES.items():
        if body.get(name) is not None and not isinstance(body[name], kind):
            raise Refused("invalid_request", f"{name} must be {words}.")
    return body, dump(body["input"]) if "input" in body else ""


def _seconds(value: JsonValue) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool | str | list | dict) or not 0 < value < 10**9:
        raise Refused("invalid_request", "timeout must be a number of seconds above 0.")
    return float(value)
