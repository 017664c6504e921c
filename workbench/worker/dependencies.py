"""Which files of the project a definition stands on: its imports, followed through the project's own modules."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from workbench.worker.faults import project_path


class Dependencies:
    """Follows import statements, those inside functions too. Knows each file once, for the life of a worker."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._imports: dict[str, list[str]] = {}
        self._files: dict[str, str | None] = {}

    def of(self, path: str, tree: ast.AST, package: str) -> list[str]:
        """Relative paths of the project files that the file needs, without itself; sorted."""
        self._imports[path] = list(self._imported_files(tree, package))
        found = {path}
        pending = [path]
        while pending:
            for needed in self._imports_of(pending.pop()):
                if needed not in found:
                    found.add(needed)
                    pending.append(needed)
        found.discard(path)
        return sorted(relative for relative in (project_path(file, self._root) for file in found) if relative)

    def _imports_of(self, path: str) -> list[str]:
        if path not in self._imports:
            self._imports[path] = []
            try:
                tree = ast.parse(Path(path).read_bytes())
            except (OSError, SyntaxError, ValueError, RecursionError):
                return []
            package = ".".join(Path(path).relative_to(self._root).parent.parts)
            self._imports[path] = list(self._imported_files(tree, package))
        return self._imports[path]

    def _imported_files(self, tree: ast.AST, package: str) -> Iterator[str]:
        for name in _imported_names(tree, package):
            if name not in self._files:
                self._files[name] = self._file_of(name)
            path = self._files[name]
            if path is not None:
                yield path

    def _file_of(self, name: str) -> str | None:
        """The file of a module, if it belongs to the project."""
        module = sys.modules.get(name)
        if module is not None:
            path = getattr(module, "__file__", None)
            return path if path and project_path(path, self._root) else None
        base = Path(self._root, *name.split("."))
        for candidate in (base.with_name(base.name + ".py"), base / "__init__.py"):
            if candidate.is_file():
                return str(candidate)
        return None


def _imported_names(tree: ast.AST, package: str) -> Iterator[str]:
    """Every module that an import statement may load, parents included."""
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _with_parents(alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [base])])
            yield from _with_parents(base)
            for alias in node.names:
                yield f"{base}.{alias.name}"


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Every statement, however deep in others; expressions are left aside, which is most of a file."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, block, None)
            if isinstance(inner, list):
                pending.extend(cast("list[ast.AST]", inner))


def _with_parents(name: str) -> Iterator[str]:
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        yield ".".join(parts[:length])
