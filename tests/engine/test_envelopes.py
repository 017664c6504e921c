"""What becomes of what a tool returns: an envelope's text, files and blocks; a value that is almost a tool result."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import pytest

from tests.engine.rig import Rig
from workbench.base.exact_json import JsonValue, dump, parse
from workbench.domain.calls import Call, CallState, ToolResult
from workbench.engine.ports import CallLink, Returned

PICTURE = base64.b64encode(b"a picture").decode()


async def called(rig: Rig, *blocks: object, **envelope: object) -> tuple[Call, ToolResult]:
    async def answer(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        return Returned("envelope", json=dump({"content": list(blocks), **envelope}).encode())

    rig.host.define("answer", answer)
    call = await rig.call("answer")
    assert call.result is not None
    return call, call.result


@pytest.mark.rule("D7", "D8")
async def test_pictures_sounds_and_bytes_become_files_that_their_blocks_name(rig: Rig) -> None:
    call, result = await called(
        rig,
        {"type": "image", "mimeType": "image/png", "data": PICTURE},
        {"type": "image", "mimeType": "image/png", "data": PICTURE, "annotations": {"audience": ["user"]}},
        {"type": "audio", "mimeType": "audio/wav", "data": PICTURE},
        {"type": "resource", "resource": {"uri": "mem://raw/notes.bin", "blob": PICTURE}},
    )
    assert [one.name for one in result.attachments] == ["image.png", "image-2.png", "audio.wav", "notes.bin"]
    for one in result.attachments:
        assert await rig.store.read_file(call.thread_id, one.path) == b"a picture"
    assert [dict(block) for block in result.content] == [
        {"type": "image", "mimeType": "image/png", "attachment": "image.png"},
        {
            "type": "image",
            "mimeType": "image/png",
            "annotations": {"audience": ["user"]},
            "attachment": "image-2.png",
        },
        {"type": "audio", "mimeType": "audio/wav", "attachment": "audio.wav"},
        {"type": "resource", "resource": {"uri": "mem://raw/notes.bin", "attachment": "notes.bin"}},
    ]
    assert PICTURE not in (result.json_text or "")


@pytest.mark.rule("D7")
async def test_a_model_reads_texts_links_and_texts_of_resources(rig: Rig) -> None:
    _, result = await called(
        rig,
        {"type": "text", "text": "found it"},
        {"type": "resource_link", "uri": "file:///a/report.txt", "name": "report"},
        {"type": "resource", "resource": {"uri": "mem://notes", "text": "some notes"}},
        {"type": "of the future", "what": 1},
    )
    assert result.text == "found it\nreport: file:///a/report.txt\nsome notes"


@pytest.mark.rule("D7")
async def test_what_is_structured_is_read_where_there_are_no_blocks(rig: Rig) -> None:
    _, result = await called(rig, structuredContent={"sum": 42})
    assert (result.text, result.structured_content) == ('{"sum":42}', {"sum": 42})
    assert parse(result.json_text or "") == {"content": [], "structuredContent": {"sum": 42}}


@pytest.mark.rule("D8")
async def test_a_picture_that_is_no_base64_is_an_error(rig: Rig) -> None:
    call, result = await called(rig, {"type": "image", "mimeType": "image/png", "data": "§"})
    assert call.state is CallState.FAILED
    assert "image.png is not valid base64" in result.text


@pytest.mark.rule("D7")
@pytest.mark.parametrize(
    ("given", "misspelt"),
    [
        ({"stat": "success", "result": "x"}, ("stat", "status")),
        ({"Status": "error", "error": "no"}, ("Status", "status")),
        ({"stauts": "success"}, ("stauts", "status")),
        ({"status": "sucess", "result": "x"}, ("sucess", "success")),
        ({"status": "Error", "error": "no"}, ("Error", "error")),
        ({"status": "failed", "error": "no"}, None),
        ({"status": "errors"}, None),
        ({"status": "sucess", "rows": 2}, None),
        ({"stat": "open", "result": "x"}, None),
        ({"stat": "success", "rows": 2}, None),
        ({"outcome": "success"}, None),
        ({"stat": 1, "note": "success"}, None),
    ],
)
async def test_a_misspelt_status_is_remarked_and_the_value_given_as_it_is(
    rig: Rig, given: dict[str, object], misspelt: tuple[str, str] | None
) -> None:
    async def give(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        return given

    rig.host.define("give", give)

    call = await rig.call("give")

    assert call.result is not None
    assert (call.state, call.result.text) == (CallState.SUCCEEDED, dump(given))
    assert call.log == (
        f"The result says “{misspelt[0]}” where a tool result says “{misspelt[1]}”, so it was given as plain JSON.\n"
        if misspelt
        else ""
    )
