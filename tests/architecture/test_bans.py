"""What is never written here since each has cost others dear: nested event loops, swallowed errors, sleeping tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.tree import PACKAGE, TESTS, parsed, python_files, where

NESTED_LOOPS = {"exec", "exec_", "processEvents"}
STATIC_DIALOGS = {
    "QMessageBox": {"about", "aboutQt", "critical", "information", "question", "warning"},
    "QFileDialog": {"getExistingDirectory", "getOpenFileName", "getOpenFileNames", "getSaveFileName"},
    "QInputDialog": {"getDouble", "getInt", "getItem", "getMultiLineText", "getText"},
    "QColorDialog": {"getColor"},
    "QFontDialog": {"getFont"},
}

# Where `except Exception` may stand, by file, with the reason.
CATCHES_ALL: dict[str, str] = {
    "cli/main.py": "the command line's top-level handler",
    "engine/threads/effect_runs.py": "the top-level handler of an effect at work",
    "engine/threads/hooks.py": "a hook runs, and costs its thread nothing",
    "engine/threads/thread_run.py": "the top-level handler of a thread at work",
    "hosts/mcp/calling.py": "a server that answers wrongly costs the call",
    "hosts/mcp/session.py": "a dead peer is a failure of its connection",
    "sandbox/execution.py": "the top-level handler of a run's thread",
    "sandbox/guest.py": "nothing may be raised into WebAssembly",
    "sandbox/host_calls.py": "what a host function raises is an error of the code that called it",
    "secrets/lane.py": "hands what the work raised to the one who waits for it",
    "server/gate.py": "the top-level handler of the server",
    "store/lanes.py": "hands what the writing raised to those who wait for it",
    "worker/calling.py": "runs the author's function",
    "worker/code.py": "calls the author's functions for code that they were handed to",
    "worker/faults.py": "asks the author's exception for its words",
    "worker/loading.py": "runs the author's file",
    "worker/program.py": "imports the project's own pydantic before anything needs it",
    "worker/schemas.py": "evaluates the author's annotations and asks the author's model for its schema",
}


def calls_of(names: set[str], tree: ast.AST) -> Iterator[tuple[ast.Call, str, str]]:
    """Calls of the form `owner.name(…)` with one of the names; owner is the last word before the dot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
            owner = ast.unparse(node.func.value).rsplit(".", 1)[-1]
            yield node, owner, node.func.attr


def nests_a_loop(tree: ast.AST) -> list[ast.Call]:
    return [
        call
        for call, owner, name in calls_of(NESTED_LOOPS.union(*STATIC_DIALOGS.values()), tree)
        if name in NESTED_LOOPS or name in STATIC_DIALOGS.get(owner, ())
    ]


def catches_all(tree: ast.AST) -> list[ast.ExceptHandler]:
    """`except:`, `except Exception` and `except BaseException`, alone or in a tuple, that do not raise again."""

    def is_broad(kind: ast.expr | None) -> bool:
        if isinstance(kind, ast.Tuple):
            return any(is_broad(member) for member in kind.elts)
        return kind is None or (isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"})

    def raises_again(handler: ast.ExceptHandler) -> bool:
        last = handler.body[-1]
        return isinstance(last, ast.Raise) and last.exc is None

    handlers = (node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler))
    return [handler for handler in handlers if is_broad(handler.type) and not raises_again(handler)]


def suppresses_all(tree: ast.AST) -> list[ast.Call]:
    return [
        call
        for call, _, _ in calls_of({"suppress"}, tree)
        if any(ast.unparse(kind) in {"Exception", "BaseException"} for kind in call.args)
    ]


def sleeps(tree: ast.AST) -> list[ast.Call]:
    """Sleeping outside of a loop that looks or measures between naps; `asyncio.sleep(0)` only lets others run."""
    found: list[ast.Call] = []
    naps = list(calls_of({"sleep", "qWait", "qSleep"}, tree))
    loops = (node for node in ast.walk(tree) if naps and isinstance(node, ast.While))
    waiting = {id(inner) for loop in loops for inner in ast.walk(loop)}
    for call, owner, name in naps:
        yields = owner == "asyncio" and bool(call.args) and ast.unparse(call.args[0]) == "0"
        sleeping = name == "sleep" and owner in {"time", "asyncio"} and not yields
        if (sleeping and id(call) not in waiting) or name in {"qWait", "qSleep"}:
            found.append(call)
    return found


def test_no_event_loop_is_nested() -> None:
    assert [where(path, call) for path in python_files(PACKAGE) for call in nests_a_loop(parsed(path))] == []


def test_only_the_named_places_catch_every_exception() -> None:
    found = {
        str(path.relative_to(PACKAGE))
        for path in python_files(PACKAGE)
        if catches_all(parsed(path)) or suppresses_all(parsed(path))
    }

    assert found == CATCHES_ALL.keys(), "the list and the code must agree, both ways"


def test_no_test_sleeps() -> None:
    assert [where(path, call) for path in python_files(TESTS) for call in sleeps(parsed(path))] == []


@pytest.mark.parametrize(
    ("check", "code"),
    [
        (nests_a_loop, "dialog.exec()"),
        (nests_a_loop, "QApplication.processEvents()"),
        (nests_a_loop, "QtWidgets.QMessageBox.question(self, '', '')"),
        (catches_all, "try: pass\nexcept Exception: pass"),
        (catches_all, "try: pass\nexcept (OSError, BaseException) as e: print(e)"),
        (catches_all, "try: pass\nexcept: pass"),
        (suppresses_all, "with contextlib.suppress(Exception): pass"),
        (sleeps, "time.sleep(1)"),
        (sleeps, "async def test(): await asyncio.sleep(0.1)"),
    ],
)
def test_each_ban_is_noticed(check: object, code: str) -> None:
    assert callable(check)
    assert check(ast.parse(code))


def test_the_list_of_broad_handlers_names_files_that_exist() -> None:
    assert [name for name in CATCHES_ALL if not Path(PACKAGE, name).is_file()] == []
