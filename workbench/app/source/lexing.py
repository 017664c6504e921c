"""What is what in a line of source: one pattern a language, and a state for what goes on over several lines."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from workbench.domain.definitions import Language


class Kind(Enum):
    """Kinds of words that are told apart."""

    COMMENT = "comment"
    STRING = "string"
    KEYWORD = "keyword"
    LITERAL = "literal"
    DECORATOR = "decorator"


class Piece(NamedTuple):
    """`line[start:end]` is of this kind."""

    start: int
    end: int
    kind: Kind


PLAIN = 0
"""The state in which nothing goes on from the line before."""

_PYTHON_WORDS = (
    "and as assert async await break class continue def del elif else except finally for from global if import in "
    "is lambda match case nonlocal not or pass raise return try while with yield type"
)
_TYPESCRIPT_WORDS = (
    "abstract as async await break case catch class const continue debugger declare default delete do else enum "
    "export extends finally for from function get if implements import in instanceof interface keyof let namespace "
    "new of private protected public readonly return satisfies set static super switch this throw try type typeof "
    "var void while with yield"
)


def _words(words: str) -> str:
    return rf"(?<![\w.$])(?:{'|'.join(words.split())})(?![\w$])"


class _Grammar(NamedTuple):
    pattern: re.Pattern[str]
    opens: dict[str, int]
    """What begins a piece of several lines, and the state it goes on in."""
    ends: dict[int, re.Pattern[str]]
    """How such a piece ends, from where it began or from the start of a line."""
    kinds: dict[int, Kind]


_PYTHON = _Grammar(
    re.compile(
        rf"""(?P<comment>\#.*)
        |(?P<open>(?i:\b[rbfut]{{1,2}})?(?:\"\"\"|'''))
        |(?P<string>(?i:\b[rbfut]{{1,2}})?(?:"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?))
        |(?P<decorator>^\s*@[\w.]+)
        |(?P<keyword>{_words(_PYTHON_WORDS)})
        |(?P<literal>(?<![\w.])(?:True|False|None)\b|(?<!\w)\.?\d[\w.]*)""",
        re.VERBOSE,
    ),
    {'"""': 1, "'''": 2},
    {1: re.compile(r'(?:\\.|[^\\])*?"""'), 2: re.compile(r"(?:\\.|[^\\])*?'''")},
    {1: Kind.STRING, 2: Kind.STRING},
)
_TYPESCRIPT = _Grammar(
    re.compile(
        rf"""(?P<comment>//.*)
        |(?P<open>/\*|`)
        |(?P<string>"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?
            |(?<=[=(,:!&|?{{}};\[])\s*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\[])+/[a-z]*)
        |(?P<decorator>^\s*@[\w.]+)
        |(?P<keyword>{_words(_TYPESCRIPT_WORDS)})
        |(?P<literal>(?<![\w.$])(?:true|false|null|undefined|NaN|Infinity)\b|(?<![\w$])\.?\d[\w.]*)""",
        re.VERBOSE,
    ),
    {"/*": 1, "`": 2},
    {1: re.compile(r".*?\*/"), 2: re.compile(r"(?:\\.|[^\\`])*`")},
    {1: Kind.COMMENT, 2: Kind.STRING},
)
_GRAMMARS = {Language.PYTHON: _PYTHON, Language.TYPESCRIPT: _TYPESCRIPT}


def pieces_of(line: str, language: Language, state: int = PLAIN) -> tuple[list[Piece], int]:
    """The pieces of a line, in order, and the state in which the next line begins."""
    grammar = _GRAMMARS[language]
    pieces: list[Piece] = []
    start = inside = 0
    while True:
        if state != PLAIN:
            end = grammar.ends[state].match(line, inside)
            inside = end.end() if end else len(line)
            if inside > start:
                pieces.append(Piece(start, inside, grammar.kinds[state]))
            if end is None:
                return pieces, state
            state = PLAIN
        found = grammar.pattern.search(line, inside)
        if found is None:
            return pieces, PLAIN
        start, inside = found.span()
        if found.lastgroup == "open":
            state = next(number for mark, number in grammar.opens.items() if found.group().endswith(mark))
        else:
            pieces.append(Piece(start, inside, Kind(found.lastgroup)))
