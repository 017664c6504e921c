"""Code beside tools that failed is told with its innermost line, in whatever language it is."""

from __future__ import annotations

import pytest

from workbench.engine.ports import Raised
from workbench.engine.threads.code_failures import why_failed

PYTHON = """  File "agents/handlers/echo.py", line 5, in echo
    return shout(message)
  File "lib/words.py", line 2, in shout
    return text.uppper()
AttributeError: no"""
SCRIPT = """TypeError: no
    at shout (lib/words.ts:2:9)
    at execute (agents/handlers/echo.ts:5:3)"""


@pytest.mark.rule("T8")
@pytest.mark.parametrize(
    ("stack", "words"),
    [
        (PYTHON, "TypeError: no (lib/words.py, line 2)"),
        (SCRIPT, "TypeError: no (lib/words.ts, line 2)"),
        ("    at agents/hooks/top.ts:7:1", "TypeError: no (agents/hooks/top.ts, line 7)"),
        ("", "TypeError: no"),
    ],
)
def test_the_innermost_line_is_told(stack: str, words: str) -> None:
    assert why_failed(Raised("tool_error", "TypeError", "no", stack=stack)) == words
