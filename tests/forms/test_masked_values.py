"""The mark of a secret stands for what is put in when the call runs: nobody can say before whether that fits."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.forms import Form

RULES: dict[str, dict[str, Any]] = {
    "pattern": {"type": "string", "pattern": "^sk-[a-z]+$"},
    "length": {"type": "string", "maxLength": 8},
    "format": {"type": "string", "format": "uuid"},
    "number": {"type": "integer"},
}


@pytest.mark.rule("V6")
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_a_value_with_a_mark_in_it_does_not_block_sending(rule: dict[str, Any]) -> None:
    form = Form({"type": "object", "properties": {"key": rule, "n": {"type": "integer"}}})
    form.load({"key": "[[secret:API_KEY]]"})
    assert form.sent().json_text == '{"key":"[[secret:API_KEY]]"}'
    form.load({"key": "plain text", "n": "x"})
    assert {problem.path for problem in form.sent().problems} == {"/key", "/n"}
