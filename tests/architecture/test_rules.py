"""The ledger of promises: every reached rule has a test that says so, and no test speaks of a rule that is none."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict

from tests.architecture.tree import TESTS, parsed, python_files, where

RULES = tomllib.loads((TESTS / "rules.toml").read_text("utf-8"))
NUMBERS = {"D": 15, "C": 17, "V": 6, "T": 25, "X": 4, "H": 7}


def _marked_rules() -> dict[str, list[str]]:
    """Where each number is used in a `pytest.mark.rule(…)`, also one that a file or class sets for all its tests."""
    uses: dict[str, list[str]] = defaultdict(list)
    for path in python_files(TESTS):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.rule"):
                for argument in node.args:
                    uses[str(ast.literal_eval(argument))].append(where(path, node))
    return uses


def test_the_ledger_holds_every_rule_once_in_order() -> None:
    assert list(RULES) == [
        f"{letter}{number + 1}" for letter, last in NUMBERS.items() for number in range(last)
    ]


def test_every_rule_is_worded_in_one_line_and_has_a_status() -> None:
    for number, entry in RULES.items():
        assert set(entry) == {"rule", "status"}, number
        assert entry["rule"].endswith("."), number
        assert "\n" not in entry["rule"], number
        assert entry["status"] in {"reached", "not yet"}, number


def test_every_reached_rule_is_proved_by_a_marked_test() -> None:
    marked = _marked_rules()

    assert [
        number for number, entry in RULES.items() if entry["status"] == "reached" and number not in marked
    ] == []


def test_no_test_is_marked_with_a_number_that_is_no_rule() -> None:
    assert {number: places for number, places in _marked_rules().items() if number not in RULES} == {}
