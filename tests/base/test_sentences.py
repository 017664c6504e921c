"""What somebody else said stands in ours with one end."""

from __future__ import annotations

import pytest

from workbench.base.sentences import sentence


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("it broke", "it broke."),
        ("it broke. ", "it broke."),
        ("Did you mean 'x'?", "Did you mean 'x'?"),
        ("and so on…", "and so on…"),
    ],
)
def test_words_get_a_full_stop_unless_they_have_an_end(words: str, said: str) -> None:
    assert sentence(words) == said
