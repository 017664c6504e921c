"""A file in a form is sent exactly, and costs nothing with every key typed beside it."""

from __future__ import annotations

import binascii
import json
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from tests.forms.schemas import text
from workbench.base.exact_json import JsonValue, dump, parse
from workbench.forms import FileNode, Form, PickedFile
from workbench.forms.long_texts import LONG, LongTexts

SCHEMA = {
    "properties": {"title": {"type": "string"}, "file": {"type": "string", "contentEncoding": "base64"}},
}


def test_a_key_typed_beside_a_file_of_8_mb_writes_nothing_of_the_file_anew() -> None:
    form = Form(SCHEMA)
    data = bytes(8 * 1024 * 1024)
    base64 = binascii.b2a_base64(data, newline=False).decode()
    field = form.at("/file")
    assert isinstance(field, FileNode)
    field.set_file(PickedFile("a.bin", "application/octet-stream", base64, len(data)))
    assert form.sent().json_text == f'{{"file":"{base64}"}}'
    written: list[int] = []
    encode = json.dumps

    def seen(value: object, **how: object) -> str:
        made: str = encode(value, **how)  # type: ignore[arg-type]
        written.append(len(made))
        return made

    with patch("workbench.base.exact_json.json.dumps", seen):
        text(form, "/title").set_text("Ines")
        sent = form.sent()
    assert sum(written) < 1_000
    assert sent.json_text == f'{{"title":"Ines","file":"{base64}"}}'
    assert len(sent.preview) < 1_000
    assert "11,184,812 characters" in sent.preview
    assert parse(form.json_text()) == parse(sent.json_text or "")


long_texts = st.sampled_from(['"' * LONG, "ä\n" * LONG, "x" * LONG])
values = st.recursive(
    st.none() | st.text() | long_texts, lambda inner: st.lists(inner, max_size=3), max_leaves=6
)


@given(st.lists(values, max_size=3))
def test_values_with_long_texts_are_written_exactly_time_and_again(several: list[JsonValue]) -> None:
    writer = LongTexts()
    for value in (*several, *several):
        assert writer.dump(value) == dump(value)
