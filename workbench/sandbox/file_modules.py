"""The modules of a program in files: what an entry imports, relative to itself and below one folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from workbench.sandbox.modules import ModuleNotFound, is_javascript, json_module, text_of
from workbench.sandbox.resolution import ImportRefused, Resolver
from workbench.sandbox.stopping import Stop
from workbench.sandbox.typescript import Transpiled


class FileModules:
    """Fills the sandbox's `Modules` for a file that is run as code (X1): no packages, and nothing outside of `root`."""

    def __init__(self, root: Path, transpile: Callable[[str, str], Transpiled]) -> None:
        self._root = root
        self._resolver = Resolver(root, "the folder of the file that is run")
        self._transpile = transpile

    def resolve(self, specifier: str, importer: str) -> str:
        if not specifier.startswith("."):
            raise ModuleNotFound(
                f"{importer} imports {specifier!r}: code that is run by itself has no packages, only files beside it."
            )
        try:
            return self._resolver.resolve(specifier, importer)
        except ImportRefused as refused:
            raise ModuleNotFound(f"{refused.message} {refused.hint}".strip()) from None

    def load(self, name: str, stop: Stop) -> str | Transpiled:
        del stop  # compiling one file takes milliseconds
        text = text_of(self._root / name, name)
        if name.endswith(".json"):
            return json_module(text, name)
        return text if is_javascript(name) else self._transpile(text, name)
