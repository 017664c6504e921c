"""Hidden and look-alike characters are found where they stand, and only there."""

from __future__ import annotations

import pytest

from workbench.app.results.characters import count_hidden, hidden


@pytest.mark.parametrize(
    ("text", "escapes"),
    [
        ("plain text\n\tin lines\r\n", []),
        ("zero\u200bwidth", ["\\u200b"]),
        ("turn \u202eed", ["\\u202e"]),
        ("no\u00a0break", ["\\u00a0"]),
        ("p\u0430yp\u0430l", ["\\u0430", "\\u0430"]),
        ("слово and word", []),
        ("\uff21\uff22", ["\\uff21", "\\uff22"]),
        ("tag\U000e0041", ["\\u{e0041}"]),
        ("nul\x00", ["\\u0000"]),
        ("a\rb\r\n", ["\\u000d"]),
        ("הקנקן בהזמנה", []),
    ],
)
def test_characters_that_are_not_what_they_seem_are_found(text: str, escapes: list[str]) -> None:
    assert [one.escape for one in hidden(text)] == escapes
    assert count_hidden(text) == len(escapes)
    assert all(text[one.at] for one in hidden(text))
