"""Modules: what an import means, and the text it gets; asked while code is loaded, on the run's own thread."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from workbench.base.errors import UsageError
from workbench.sandbox.stopping import Stop
from workbench.sandbox.typescript import SourceError, Transpiled

INTERNAL = "sb:"
"""How the names of the sandbox's own modules begin; no code of an author can name one."""

HOST = f"{INTERNAL}host/"

_SUFFIXES = (".ts", ".mts", ".js", ".mjs", ".json")
_WRITTEN_FOR = {".js": ".ts", ".mjs": ".mts"}
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)

Transpile = Callable[[str, str, Stop], Transpiled]


class ModuleNotFound(Exception):
    """An import means nothing here; the words become a ReferenceError in the code that imports."""


class Modules(Protocol):
    """Where a run's modules come from. Both methods may read files; neither is called from two threads at once."""

    def resolve(self, specifier: str, importer: str) -> str:
        """The name of the module that `importer` means: a name for `load`, or the specifier of a frozen module.

        Raises ModuleNotFound.
        """
        ...

    def load(self, name: str, stop: Stop) -> str | Transpiled:
        """The module's text; the source map of a Transpiled is used for traces. Raises SourceError, and Stopped."""
        ...


class SourceModules:
    """Modules given as text: an entry, and others by specifiers relative to it, all below one root."""

    def __init__(
        self,
        entry: str,
        source: str,
        modules: Mapping[str, str],
        transpile: Transpile,
        *,
        typescript: bool,
    ) -> None:
        folder = posixpath.dirname(entry)
        self._sources = {module_name(posixpath.join(folder, key)): text for key, text in modules.items()}
        self._sources[entry] = source
        self._transpile = transpile
        self._javascript = {name for name in self._sources if is_javascript(name)} - {entry}
        if not typescript:
            self._javascript.add(entry)

    def resolve(self, specifier: str, importer: str) -> str:
        if not specifier.startswith((".", "/")):
            raise ModuleNotFound(
                f"Cannot find module '{specifier}' imported from {importer}: it was not handed over."
            )
        path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))
        if path.startswith(("..", "/")):
            raise ModuleNotFound(
                f"Module '{specifier}' imported from {importer} lies outside of the sandbox."
            )
        for candidate in _candidates(path):
            if candidate in self._sources:
                return candidate
        raise ModuleNotFound(f"Cannot find module '{specifier}' imported from {importer}.")

    def load(self, name: str, stop: Stop) -> str | Transpiled:
        source = self._sources[name]
        if name.endswith(".json"):
            return json_module(source, name)
        return source if name in self._javascript else self._transpile(source, name, stop)


def text_of(path: Path, name: str) -> str:
    """The text of a module's file. Raises ModuleNotFound."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ModuleNotFound(f"{name} cannot be read: {error}.") from error


def is_javascript(name: str) -> bool:
    """Whether a module's name says that it runs as it is."""
    return name.endswith((".js", ".mjs"))


def json_module(text: str, name: str) -> str:
    """The module of a JSON file: its value is the default export. Raises SourceError."""
    try:
        json.loads(text)
    except ValueError as error:
        raise SourceError(f"this is not JSON: {error}", name) from None
    return f"export default JSON.parse({json.dumps(text)});"


def host_module(specifier: str, names: list[str]) -> str:
    """The module through which code imports what the host handed over under a bare specifier."""
    lines = [
        f"import {{ taken }} from '{INTERNAL}boot.js';",
        f"const given = taken({json.dumps(specifier)});",
        *(f"const e{n} = given[{json.dumps(name)}];" for n, name in enumerate(names)),
        f"export {{ {', '.join(f'e{n} as {name}' for n, name in enumerate(names))} }};",
    ]
    if "default" not in names:
        lines.append("export default given;")
    return "\n".join(lines)


def check_exports(specifier: str, names: list[str]) -> None:
    """Raises UsageError when a name cannot be exported."""
    for name in names:
        if not _IDENTIFIER.fullmatch(name):
            raise UsageError(f"{name!r} cannot be imported from {specifier!r}: it is no identifier.")


def module_name(filename: str) -> str:
    """A filename as a name within the root. Raises UsageError when it lies outside."""
    path = posixpath.normpath(filename.replace("\\", "/").lstrip("/"))
    if path in {".", ""} or path.startswith(("..", INTERNAL)):
        raise UsageError(f"{filename!r} is no name for a module.")
    return path


def _candidates(path: str) -> list[str]:
    """The names that an import without its exact suffix may mean."""
    stem, suffix = posixpath.splitext(path)
    written = [stem + _WRITTEN_FOR[suffix]] if suffix in _WRITTEN_FOR else []
    return [path, *written, *(path + one for one in _SUFFIXES), *(f"{path}/index{one}" for one in _SUFFIXES)]
