"""The source tree as the architecture tests look at it: files, parsed once."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "workbench"
TESTS = ROOT / "tests"


@functools.cache
def parsed(path: Path) -> ast.Module:
    """The file's syntax tree."""
    return ast.parse(path.read_text("utf-8"), filename=str(path))


def python_files(*folders: Path) -> Iterator[Path]:
    """Every Python file below the folders, in a stable order."""
    for folder in folders:
        yield from sorted(folder.rglob("*.py"))


def length(path: Path) -> int:
    """In lines."""
    return len(path.read_text("utf-8").splitlines())


def where(path: Path, node: ast.expr | ast.stmt | ast.excepthandler) -> str:
    """`workbench/store/writer.py:12`, to click on."""
    return f"{path.relative_to(ROOT)}:{node.lineno}"


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function with its dotted name inside the module (`Store.open.<locals>` is written `Store.open`)."""

    def walk(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield prefix + child.name, child
                yield from walk(child, f"{prefix}{child.name}.")
            elif isinstance(child, ast.ClassDef):
                yield from walk(child, f"{prefix}{child.name}.")
            else:
                yield from walk(child, prefix)

    return walk(tree, "")
