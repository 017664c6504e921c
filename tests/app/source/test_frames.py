"""A traceback's frames lead to the project's own files, and to no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.app.source.frames import frames_in

ROOT = Path("/home/ada/desk")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('  File "agents/tools/echo.py", line 12, in execute', ("agents/tools/echo.py", 12, 0)),
        ('  File "/home/ada/desk/bot/lib/a b.py", line 3', ("bot/lib/a b.py", 3, 0)),
        ("agents/tools/echo.py:7: error", ("agents/tools/echo.py", 7, 0)),
        ("    at run (/home/ada/desk/agents/tools/x.ts:10:5)", ("agents/tools/x.ts", 10, 5)),
        ("    at file:///home/ada/desk/bot/a%20b.mjs:2:1", ("bot/a b.mjs", 2, 1)),
        ("./agents/tools/echo.py:7", ("agents/tools/echo.py", 7, 0)),
    ],
)
def test_a_frame_is_found_in_each_form_it_is_written_in(text: str, found: tuple[str, int, int]) -> None:
    (link,) = frames_in(f"first\n{text}\nlast", ROOT)
    assert (link.path, link.line, link.column) == found


@pytest.mark.parametrize(
    "text",
    [
        '  File "/usr/lib/python3.11/json/decoder.py", line 355',
        '  File "../other/tool.py", line 1',
        '  File "<string>", line 1',
        '  File "/home/ada/desk/.venv/lib/python3/site-packages/x.py", line 9',
        "agents/tools/echo.py:0",
        "at 12:30",
        '{"a.py": 3}',
        "x" * 3_000 + " agents/tools/echo.py:7",
    ],
)
def test_what_is_not_the_projects_is_no_link(text: str) -> None:
    assert frames_in(text, ROOT) == []


def test_every_frame_of_a_traceback_is_found_with_its_place() -> None:
    text = 'File "a.py", line 1, in f\n  x()\n\nFile "b.py", line 22, in g\n'
    links = frames_in(text, ROOT)
    assert [text[link.start : link.end] for link in links] == ['File "a.py", line 1', 'File "b.py", line 22']


@given(st.text("ab/.:\"' \\\n12File,lnepyts(%", max_size=80))
def test_no_text_is_too_odd(text: str) -> None:
    for link in frames_in(text, ROOT):
        assert 0 <= link.start < link.end <= len(text)
        assert not Path(link.path).is_absolute()
