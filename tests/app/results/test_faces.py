"""A result is offered in the ways that fit it."""

from __future__ import annotations

import pytest

from workbench.app.results.faces import Face, faces_of
from workbench.domain.calls import AttachmentRef, ToolResult

PICTURE = AttachmentRef(id="1", path="/attachments/a.png", name="a.png", mime_type="image/png", size=3)
DRAWING = AttachmentRef(id="2", path="/attachments/a.svg", name="a.svg", mime_type="image/svg+xml", size=3)


def returned(json_text: str) -> ToolResult:
    return ToolResult(text=json_text, json_text=json_text)


@pytest.mark.parametrize(
    ("result", "faces"),
    [
        (ToolResult(text="Hello."), [Face.TEXT]),
        (ToolResult(text=""), [Face.TEXT]),
        (returned('{"a": 1}'), [Face.JSON, Face.TEXT, Face.RAW]),
        (returned('[{"a": 1}]'), [Face.TABLE, Face.JSON, Face.TEXT, Face.RAW]),
        (ToolResult(text='{"a": 1}'), [Face.JSON, Face.TEXT, Face.RAW]),
        (ToolResult(text='{"a": 1,}'), [Face.TEXT]),
        (ToolResult(text="a,b\n1,2\n3,4\n"), [Face.TABLE, Face.TEXT]),
        (ToolResult(text="# Title\n\nwords"), [Face.MARKDOWN, Face.TEXT]),
        (ToolResult(text="", attachments=(PICTURE,)), [Face.IMAGE, Face.TEXT]),
        (ToolResult(text="Drawn.", attachments=(PICTURE,)), [Face.TEXT, Face.IMAGE]),
        (ToolResult(text="Drawn.", attachments=(DRAWING,)), [Face.TEXT]),
        (ToolResult(text="x", structured_content={"n": 1}), [Face.JSON, Face.TEXT, Face.RAW]),
        (ToolResult(text="x", content=({"type": "text", "text": "x"},)), [Face.TEXT, Face.RAW]),
    ],
)
def test_the_faces_that_fit_come_with_the_best_first(result: ToolResult, faces: list[Face]) -> None:
    assert list(faces_of(result).fitting) == faces


def test_a_remembered_face_is_taken_where_it_fits() -> None:
    faces = faces_of(returned('[{"a": 1}]'))

    assert faces.choose("JSON") is Face.JSON
    assert faces.choose("Markdown") is Face.TABLE
    assert faces.choose(None) is Face.TABLE
