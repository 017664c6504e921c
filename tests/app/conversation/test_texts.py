"""Long texts come in parts that put together are the text, cut only between paragraphs, and stay as a text grows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.app.conversation.texts import LONGEST_PART, PART, SHOWN, parts_of, with_breaks

PIECES = st.lists(
    st.sampled_from(["word " * 40, "\n\n", "\n", "```\n", "code\n", "~~~\n", "שלום ", "x" * 900]),
    max_size=120,
)


@given(PIECES)
def test_the_parts_put_together_are_the_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    parts = parts_of(text)
    assert "".join(parts) == text[:SHOWN]
    assert all(len(part) <= LONGEST_PART for part in parts)


@given(PIECES, PIECES)
def test_a_text_that_grows_keeps_all_parts_but_the_last(first: list[str], more: list[str]) -> None:
    text = "".join(first)
    before, after = parts_of(text), parts_of(text + "".join(more))
    assert after[: len(before) - 1] == before[:-1]


def test_a_fenced_block_is_not_cut() -> None:
    fence = "```\n" + "line\n\n" * (PART // 3) + "```\n\n"
    first, *_ = parts_of("Intro.\n\n" + fence + "After.\n\n" + "more " * PART)
    assert first.endswith("```\n\n")


def test_lines_of_a_paragraph_stay_lines_and_fenced_ones_stay_as_they_are() -> None:
    assert with_breaks("a\nb\n\nc") == "a  \nb\n\nc"
    assert with_breaks("```\na\nb\n```") == "```\na\nb\n```"
