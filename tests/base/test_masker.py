"""Secrets are found in every spelling, and every mark leads back to what was there."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.exact_json import JsonValue, dump, parse
from workbench.base.masker import Masker, MaskStream, marked_names, too_short, unmask

pytestmark = pytest.mark.rule("V6")

KEY = 'sk-Zürich/"9%\n+key 😀'
SECRETS = {"API_KEY": KEY, "TOKEN": "0a1b2c3d4e5f", "PIN": "271828"}
MASKER = Masker(SECRETS.items())


@pytest.mark.parametrize(
    "spelled",
    [
        KEY,
        quote(KEY),
        quote(KEY, safe=""),
        quote_plus(KEY),
        re.sub("%..", lambda match: match[0].lower(), quote(KEY, safe="")),
        json.dumps(KEY)[1:-1],
        json.dumps(KEY, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(KEY))[3:-3],
        json.dumps(json.dumps(KEY, ensure_ascii=False), ensure_ascii=False)[3:-3],
        json.dumps(KEY)[1:-1].replace("/", "\\/"),
        json.dumps(KEY)[1:-1].replace("\\u00fc", "\\u00FC").replace("\\ud83d\\ude00", "\\uD83D\\uDE00"),
    ],
    ids=["plain", "url path", "url", "url plus", "lower hex", "json ascii", "json", "json ascii twice", "json twice",
         "json slash", "json upper"],
)  # fmt: skip
def test_a_secret_is_masked_in_every_spelling(spelled: str) -> None:
    text = f"<{spelled}>"
    masked = MASKER.mask(text)
    assert masked.startswith("<[[secret:API_KEY")
    assert masked.endswith("]]>")
    assert MASKER.mask_bytes(text.encode()) == masked.encode()
    assert unmask(masked, SECRETS.get) == text


@pytest.mark.parametrize("before", ["", "u", "us", "usr", "user:"])
@pytest.mark.parametrize("after", ["", "!", "!?"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_is_masked_at_every_alignment(
    before: str, after: str, encode: Callable[[bytes], bytes]
) -> None:
    text = "Basic " + encode((before + KEY + after).encode()).decode()
    masked = MASKER.mask(text)
    assert "[[secret:API_KEY|base64" in masked
    assert (
        len(masked) < 60
    )  # what is left of the encoded text are its neighbours and a character at each edge
    assert unmask(masked, SECRETS.get) == text


def test_the_plain_mark_is_the_reference_that_views_show() -> None:
    assert MASKER.mask("a 0a1b2c3d4e5f b") == "a [[secret:TOKEN]] b"


def test_values_of_fewer_than_six_characters_are_left() -> None:
    assert too_short("12345")
    assert not too_short("123456")
    text = "12345 123456"
    assert Masker([("SHORT", "12345")]).mask(text) is text


def test_a_text_without_a_secret_is_the_same_object() -> None:
    text, data = "nothing here: ü", b"nothing"
    value: JsonValue = {"a": [text, 1, Decimal("1.5"), None]}
    for masker in (MASKER, Masker([])):
        assert masker.mask(text) is text
        assert masker.mask_bytes(data) is data
        assert masker.mask_json(value) is value
    assert not Masker([])


def test_the_longest_secret_wins() -> None:
    masker = Masker([("SHORT", "abcdef"), ("LONG", "abcdefgh"), ("INNER", "bcdefg")])
    assert masker.mask("abcdefgh abcdef") == "[[secret:LONG]] [[secret:SHORT]]"


def test_no_end_of_an_overlapping_secret_is_left_over() -> None:
    masker = Masker([("A", "abcdef"), ("B", "defghi"), ("C", "hijklm")])
    assert masker.mask("-abcdefghijklm-abcdef-") == "-[[secret:A]][[secret:B]][[secret:C]]-[[secret:A]]-"
    assert Masker([("A", "aaaaaa")]).mask("b" + "a" * 2001) == "b[[secret:A]]"


@pytest.mark.parametrize("value", ["secret", "[[secret:", "secret:NAME]]", "[[secret:NAME]]", "NAME]]"])
def test_a_secret_inside_a_mark_cannot_spoil_it(value: str) -> None:
    masker = Masker([("NAME", value), ("OTHER", "0123456789")])
    once = masker.mask(f"<{value}> 0123456789")
    assert once == "<[[secret:NAME]]> [[secret:OTHER]]"
    assert masker.mask(once) == once


@pytest.mark.parametrize("around", ["[[secret:{}]]", "[[secret:TOKEN|{}]]", "[[secret:{}|url]]"])
def test_a_secret_cannot_hide_in_what_looks_like_a_mark(around: str) -> None:
    assert SECRETS["TOKEN"] not in MASKER.mask(around.format(SECRETS["TOKEN"]))


def test_a_name_of_any_characters_makes_a_mark_that_leads_back() -> None:
    name = 'a]]b|"ü\\'
    masked = Masker([(name, "0123456789")]).mask("x0123456789")
    assert unmask(masked, {name: "0123456789"}.get) == "x0123456789"


def test_json_data_is_masked_in_texts_keys_and_numbers_and_restored() -> None:
    value: JsonValue = {
        "url": f"https://h/{quote(KEY)}",
        KEY: [True, {"t": json.dumps({"k": KEY})}],
        "pin": 271828,
        "pins": [Decimal("271828.50"), "271828"],
    }
    masked = MASKER.mask_json(value)
    text = dump(masked)
    assert "271828" not in text
    assert "rich" not in text
    restored = unmask(masked, SECRETS.get)
    assert dump(restored) == dump(value)


def test_json_text_stays_json_and_leads_back() -> None:
    value: JsonValue = {"k": KEY, "inner": json.dumps([KEY]), "pin": 271828}
    for text in (dump(value), json.dumps(value, indent=2)):
        masked = MASKER.mask_json_text(text)
        assert "rich" not in masked
        assert unmask(parse(masked), SECRETS.get) == value
    plain = '{ "a":  1.50 }'
    assert MASKER.mask_json_text(plain) is plain
    assert MASKER.mask_json_text('{"cut": "0a1b2c3d4e5f') == '{"cut": "[[secret:TOKEN]]'


def test_the_names_in_a_masked_text_can_be_told() -> None:
    assert marked_names(MASKER.mask(f"{quote(KEY)} 271828 [[secret:]] [[other:X]]")) == {"API_KEY", "PIN"}


def test_an_unknown_name_keeps_its_mark() -> None:
    assert unmask(["[[secret:GONE]]"], SECRETS.get) == ["[[secret:GONE]]"]


def test_deep_data_is_masked_without_recursion() -> None:
    value: JsonValue = ["0a1b2c3d4e5f"]
    for _ in range(5_000):
        value = [value]
    masked = MASKER.mask_json(value)
    for _ in range(5_000):
        assert isinstance(masked, list)
        masked = masked[0]
    assert masked == ["[[secret:TOKEN]]"]


def test_nothing_that_is_shown_of_a_masker_holds_a_value() -> None:
    assert not any(value in f"{MASKER!r} {MASKER} {MaskStream(MASKER)}" for value in SECRETS.values())


_alphabet = st.text(alphabet='ab/ü"', max_size=12)


@given(_alphabet, st.lists(_alphabet.filter(lambda value: len(value) >= 6), max_size=3), st.data())
def test_a_stream_shows_no_secret_however_it_is_cut(
    noise: str, values: list[str], data: st.DataObject
) -> None:
    masker = Masker((f"N{index}", value) for index, value in enumerate(values))
    parts = data.draw(st.lists(st.sampled_from([noise, *values, *map(json.dumps, values)]), max_size=6))
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    stream = MaskStream(masker)
    edges = [0, *cuts, len(text)]
    shown = "".join(stream.feed(text[start:end]) for start, end in pairwise(edges))
    shown += stream.close()
    assert shown == masker.mask(text)
    assert not any(value in shown for value in values)


def test_a_stream_holds_back_only_what_may_begin_a_secret() -> None:
    stream = MaskStream(MASKER)
    assert stream.feed("a whole line\n") == "a whole line\n"
    assert stream.feed("key=0a1b2c") == "key="
    assert stream.feed("3d4e5f.") == "[[secret:TOKEN]]."
    assert stream.feed("0a1b2c") == ""
    assert stream.feed("x") == "0a1b2cx"


def test_a_stream_of_one_repeated_character_does_not_pile_up() -> None:
    stream = MaskStream(Masker([("A", "aaaaaa")]))
    started = time.process_time()
    for _ in range(4_000):
        assert "a" not in stream.feed("a" * 50)
    assert time.process_time() - started < 10


@given(st.text(alphabet='0a1b2c3d4e5f"\\/[]:|'), st.sampled_from(list(SECRETS.values())), st.text())
def test_what_was_masked_comes_back_exactly(before: str, value: str, after: str) -> None:
    text = before + value + after
    assert unmask(MASKER.mask(text), SECRETS.get) == text
