"""Attachments of a thread: none takes another's place, and no name tells a secret."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping

import pytest

from tests.engine.rig import Rig
from workbench.base.exact_json import JsonValue, dump
from workbench.domain.variables import Scope
from workbench.engine.ports import CallLink, Returned, ReturnedAttachment

CALLS = 8


@pytest.mark.rule("D8")
async def test_attachments_of_calls_that_end_together_keep_their_own_bytes(rig: Rig) -> None:
    together = asyncio.Barrier(CALLS)

    async def draw(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        await together.wait()
        data = base64.b64encode(str(arguments["n"]).encode())
        return Returned(
            "tool_result",
            text=b"drawn",
            attachments=(ReturnedAttachment("plot.txt", "text/plain", data=data),),
        )

    rig.host.define("draw", draw, schema={"type": "object", "properties": {"n": {"type": "integer"}}})
    calls = await asyncio.gather(*(rig.call("draw", dump({"n": n})) for n in range(CALLS)))

    kept: list[bytes | None] = []
    for call in calls:
        assert call.result is not None
        kept.append(await rig.store.read_file(call.thread_id, call.result.attachments[0].path))
    assert kept == [str(n).encode() for n in range(CALLS)]


@pytest.mark.rule("V6")
async def test_a_secret_in_the_name_of_an_attachment_is_masked(rig: Rig) -> None:
    async def draw(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        await link.ask("env", {"name": "TOKEN"})
        new = ReturnedAttachment("of s3cr3t-value.svg", "image/svg+xml", data=b"PHN2Zy8+")
        known = ReturnedAttachment(
            "s3cr3t-value", "image/svg+xml", path="/attachments/of [[secret:TOKEN]].svg"
        )
        return Returned("tool_result", text=b"drawn", attachments=(new, known))

    rig.host.define("draw", draw, variables=[{"name": "TOKEN", "type": "secret"}])
    await rig.variables.set("TOKEN", "s3cr3t-value", Scope.INSTANCE)
    call = await rig.call("draw")

    assert call.result is not None
    new, known = call.result.attachments
    assert (new.name, new.path) == ("of [[secret:TOKEN]].svg", "/attachments/of [[secret:TOKEN]].svg")
    assert known.name == "[[secret:TOKEN]]"


@pytest.mark.rule("V6", "D8")
async def test_a_secret_in_the_bytes_the_type_or_the_folders_of_an_attachment_is_masked(rig: Rig) -> None:
    secret = "s3cr3t/with-a-slash"

    async def draw(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        await link.ask("env", {"name": "TOKEN"})
        data = base64.b64encode(f"key = {secret}".encode())
        new = ReturnedAttachment(f"of {secret}.txt", f"text/{secret}", data=data)
        known = ReturnedAttachment("", f"text/{secret}", path=f"/attachments/of {secret}.txt")
        return Returned("tool_result", text=b"drawn", attachments=(new, known))

    rig.host.define("draw", draw, variables=[{"name": "TOKEN", "type": "secret"}])
    await rig.variables.set("TOKEN", secret, Scope.INSTANCE)
    call = await rig.call("draw")

    assert call.result is not None
    assert call.result.failure is None
    (file,) = await rig.store.files(call.thread_id)
    assert (file.path, file.mime_type) == ("/attachments/of [[secret:TOKEN]].txt", "text/[[secret:TOKEN]]")
    assert await rig.store.read_file(call.thread_id, file.path) == b"key = [[secret:TOKEN]]"
    assert {(ref.name, ref.mime_type, ref.size) for ref in call.result.attachments} == {
        ("of [[secret:TOKEN]].txt", "text/[[secret:TOKEN]]", 22)
    }
