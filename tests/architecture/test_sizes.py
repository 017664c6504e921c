"""Modules and functions stay small enough to be read at one go."""

from __future__ import annotations

from tests.architecture.tree import PACKAGE, ROOT, functions, length, parsed, python_files

MODULE_HARD = 600
FUNCTION_HARD = 60

# What may be larger, and why. An entry that is no longer needed fails the test.
LONG_MODULES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}

FOLDERS = (PACKAGE, ROOT / "tests", ROOT / "packaging")


def test_no_module_is_longer_than_600_lines() -> None:
    too_long = {
        str(path.relative_to(ROOT)): lines
        for path in python_files(*FOLDERS)
        if (lines := length(path)) > MODULE_HARD
    }

    assert too_long.keys() == LONG_MODULES.keys(), too_long


def test_no_function_is_longer_than_60_lines() -> None:
    too_long = {
        f"{path.relative_to(ROOT)}:{name}": lines
        for path in python_files(*FOLDERS)
        for name, node in functions(parsed(path))
        if (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_HARD
    }

    assert too_long.keys() == LONG_FUNCTIONS.keys(), too_long
