"""A word is found wherever it stands, across windows too."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from workbench.app.results import searching
from workbench.app.results.searching import literal


@given(
    text=st.text("abAB é\n", max_size=300),
    word=st.text("abAé", min_size=1, max_size=4),
    exact=st.booleans(),
)
def test_hits_are_those_of_the_standard_library(text: str, word: str, exact: bool) -> None:
    window, searching.WINDOW = searching.WINDOW, 17
    try:
        found = [hit for hits in literal(text, word, exact_case=exact) for hit in hits]
    finally:
        searching.WINDOW = window

    flags = re.NOFLAG if exact else re.IGNORECASE
    assert found == [hit.span() for hit in re.finditer(re.escape(word), text, flags)]
