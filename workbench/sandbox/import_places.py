"""Where an import stands that leads nowhere: the engine names what it misses, and not the line that asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from workbench.sandbox.modules import HOST

_NO_EXPORT = re.compile(r"Could not find export '(?P<name>.+)' in module '(?P<module>.+)'")
_KEYWORD = re.compile(r"\b(?:import|export)\b")
_LONGEST = 5_000
"""Characters of a statement at most; what is read may have been written to be slow to read."""

Place = tuple[str, int, int]
"""A module's name, and line and column in its text as it was loaded."""


class MissingExport(NamedTuple):
    """An export that a module does not have."""

    name: str
    module: str


def missing_export(message: str) -> MissingExport | None:
    """What a SyntaxError misses that comes of linking; None for any other error."""
    found = _NO_EXPORT.match(message)
    return None if found is None else MissingExport(found["name"], found["module"])


class ImportPlaces:
    """Told of each module of a run that is loaded, and of each import that is looked up."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._meant: dict[tuple[str, str], str] = {}
        self._refused: dict[str, tuple[str, str]] = {}

    def loaded(self, name: str, text: str) -> None:
        self._texts[name] = text

    def resolved(self, importer: str, specifier: str, name: str) -> None:
        self._meant[importer, specifier] = name

    def refused(self, importer: str, specifier: str, message: str) -> None:
        self._refused[message] = importer, specifier

    @property
    def texts(self) -> Mapping[str, str]:
        """The text of each module that was loaded, as the engine read it."""
        return self._texts

    def find(self, message: str) -> Place | None:
        """The place of the import that an error is about, when it is about one."""
        if message in self._refused:
            importer, specifier = self._refused[message]
            found = self._written(specifier, importer)
            return None if found is None else self._place(importer, found)
        missing = missing_export(message)
        return None if missing is None else next(self._imports_of(*missing), None)

    def way_to(self, module: str) -> Iterator[Place]:
        """The imports by which a module was reached, its own importer's first."""
        seen: set[str] = set()
        while module not in seen:
            seen.add(module)
            for (importer, specifier), meant in self._meant.items():
                if meant == module and (found := self._written(specifier, importer)) is not None:
                    yield self._place(importer, found)
                    module = importer
                    break

    def _imports_of(self, name: str, module: str) -> Iterator[Place]:
        for (importer, specifier), meant in self._meant.items():
            if meant != module:
                continue
            for start, names in _statements(self._texts.get(importer, ""), specifier):
                if name == "default" and not names.lstrip().startswith(("{", "*")):
                    at = len(names) - len(names.lstrip())
                elif (word := re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", names)) is not None:
                    at = word.start()
                else:
                    continue
                yield self._place(importer, start + at)

    def _written(self, specifier: str, importer: str) -> int | None:
        found = re.search(rf"['\"]{re.escape(specifier)}['\"]", self._texts.get(importer, ""))
        return None if found is None else found.start()

    def _place(self, name: str, offset: int) -> Place:
        before = self._texts[name][:offset]
        return name, before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def _statements(text: str, specifier: str) -> Iterator[tuple[int, str]]:
    """Each import of a specifier, by where its names begin and what is written there."""
    for found in re.finditer(rf"\bfrom\s*['\"]{re.escape(specifier)}['\"]", text):
        before = text[max(0, found.start() - _LONGEST) : found.start()]
        words = before[max(before.rfind(mark) for mark in "'\"();") + 1 :]
        for keyword in [*_KEYWORD.finditer(words)][-1:]:
            names = words[keyword.end() :]
            yield found.start() - len(names), names


def readable(message: str) -> str:
    """The words of an error with the names of modules as the author writes them."""
    return message.replace(f"'{HOST}", "'") if missing_export(message) else message
