"""What is wrong with the text of a script is said in our own words, each thing with its line."""

from __future__ import annotations

import pytest

from workbench.models import Script, read_script

TEXT = """{
  "strict": "yes",
  "steps": [
    {"text": "one"},
    {"txt": "two",
     "calls": [{"arguments": {"a": [1, 2, {"b": "}"}]}}],
     "usage": {"inputTokens": 1.5}
    },
    {"when": {"is_error": true}}
  ],
  "pace": {"characters": 0}
}
"""


def test_everything_that_is_wrong_is_told_with_its_line() -> None:
    found = read_script(TEXT)

    assert not isinstance(found, Script)
    assert [(fault.line, fault.message) for fault in sorted(found, key=lambda one: one.line)] == [
        (2, "strict must be a boolean, not a string."),
        (5, 'steps[1].txt is not known here. Did you mean "text"?'),
        (6, "steps[1].calls[0].name is required, but missing."),
        (7, "steps[1].usage.inputTokens must be an integer, without a fraction."),
        (9, 'steps[2].when.is_error is not known here. Did you mean "isError"?'),
        (11, "pace.characters must be at least 1."),
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('{\n  "steps": [\n  {"text": "x",}\n]}', 3, "trailing comma before the end of the object."),
        ("[]", 1, "found an array"),
        ("", 1, "It is no JSON object that can be read"),
        ('{"steps": {"a": 1}}', 1, "steps must be an array, not an object."),
        (
            '{"steps": [{"deltas": [{"delta": {"type": "txt"}}]}]}',
            1,
            'delta.type must be "text", "reasoning"',
        ),
    ],
)
def test_a_script_that_cannot_be_read_says_why(text: str, line: int, words: str) -> None:
    found = read_script(text)

    assert not isinstance(found, Script)
    assert found[0].line == line
    assert words in found[0].message
