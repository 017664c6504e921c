"""Words are told apart in any text, whole or half written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.app.source.lexing import PLAIN, Kind, pieces_of
from workbench.domain.definitions import Language

PYTHON, TYPESCRIPT = Language.PYTHON, Language.TYPESCRIPT


def shown(text: str, language: Language) -> list[tuple[str, str]]:
    """Each piece's words and kind, over all lines."""
    found: list[tuple[str, str]] = []
    state = PLAIN
    for line in text.split("\n"):
        pieces, state = pieces_of(line, language, state)
        found.extend((line[piece.start : piece.end], piece.kind.value) for piece in pieces)
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("async def f(x): return None", ["async", "def", "return", "None"]),
        ("x.match = 'a # b' # c", ["'a # b'", "# c"]),
        ("match = f'{x}'", ["match", "f'{x}'"]),
        ("a = r'\\'", ["r'\\'"]),
        ('x = """one\ntwo # "no"\nthree""" + "four"', ['"""one', 'two # "no"', 'three"""', '"four"']),
        ("x = '''a\\''' b'''", ["'''a\\''' b'''"]),
        ("@define_tool(x=1)", ["@define_tool", "1"]),
        ("a1 = 0x1F + 1_000.5e3", ["0x1F", "1_000.5e3"]),
        ("x = 'half", ["'half"]),
    ],
)
def test_python(text: str, expected: list[str]) -> None:
    assert [words for words, _ in shown(text, PYTHON)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("export default defineTool({ a: true })", ["export", "default", "true"]),
        ("const u = 'http://x' // y", ["const", "'http://x'", "// y"]),
        ("a /* b\nc */ = `d\n${e}` + 1", ["/* b", "c */", "`d", "${e}`", "1"]),
        ("x = /['\"`]/g.test(y)", [" /['\"`]/g"]),
        ("a.default / b.new / c", []),
    ],
)
def test_typescript(text: str, expected: list[str]) -> None:
    assert [words for words, _ in shown(text, TYPESCRIPT)] == expected


@given(st.text("ab \"'`#/*\\(@1", max_size=30), st.sampled_from((PYTHON, TYPESCRIPT)), st.integers(0, 2))
def test_pieces_are_in_order_within_the_line_and_never_overlap(
    line: str, language: Language, state: int
) -> None:
    pieces, after = pieces_of(line, language, state)
    assert after in (0, 1, 2)
    places = [place for piece in pieces for place in (piece.start, piece.end)]
    assert places == sorted(places)
    assert all(piece.start < piece.end <= len(line) for piece in pieces)
    assert all(isinstance(piece.kind, Kind) for piece in pieces)
