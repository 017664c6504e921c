"""Inputs that a person keeps under a name: one small file a tool in the project's own data."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, JsonValue, dump, parse
from workbench.base.whole_files import write_whole
from workbench.domain.value import Value

_TOOL = re.compile(r"[A-Za-z0-9_-]+")
_VERSION = 1
LONGEST_NAME = 80


class SavedInput(Value):
    """Arguments under a name. `arguments` is exact JSON text, secrets masked (V6)."""

    name: str
    arguments: str


class NameTaken(UserError):
    """Another input of this tool has the name."""


class SavedInputs:
    """Reads and writes the files. What is given to it was masked before (V6)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, tool: str) -> tuple[SavedInput, ...]:
        """The inputs of a tool by name; none where there is no file.

        Raises UserError for a file that cannot be read: to write over it would lose what is in it.
        """
        path = self._path(tool)
        try:
            found = _read(parse(path.read_bytes()))
        except FileNotFoundError:
            return ()
        except (OSError, JsonError, ValueError) as error:
            raise UserError(
                f"The saved inputs of {tool} cannot be read.",
                hint=f"Mend {path}, or delete it to begin anew.",
                detail=str(error),
            ) from error
        return tuple(sorted(found, key=lambda one: one.name.casefold()))

    def save(self, tool: str, name: str, arguments: str, *, overwrite: bool = False) -> SavedInput:
        """Keep arguments under a name. Raises NameTaken, and UserError for a name that is none."""
        fresh = SavedInput(name=_clean(name), arguments=dump(parse(arguments)))
        others = [one for one in self.of(tool) if one.name != fresh.name]
        if not overwrite and len(others) < len(self.of(tool)):
            raise _taken(fresh.name)
        self._write(tool, [*others, fresh])
        return fresh

    def rename(self, tool: str, old: str, new: str) -> SavedInput:
        """Give one another name. Raises NameTaken, and UserError when it is gone."""
        kept = {one.name: one for one in self.of(tool)}
        if old not in kept:
            raise _gone(old)
        name = _clean(new)
        if name != old and name in kept:
            raise _taken(name)
        renamed = SavedInput(name=name, arguments=kept.pop(old).arguments)
        self._write(tool, [*kept.values(), renamed])
        return renamed

    def delete(self, tool: str, name: str) -> None:
        """Delete one. Raises UserError when it is gone."""
        kept = self.of(tool)
        left = [one for one in kept if one.name != name]
        if len(left) == len(kept):
            raise _gone(name)
        self._write(tool, left)

    def _write(self, tool: str, inputs: list[SavedInput]) -> None:
        """All of them, in the place of those before; half a file is never seen."""
        path = self._path(tool)
        if not inputs:
            path.unlink(missing_ok=True)
            return
        # Numbers stay as they were typed, so the arguments go in as the JSON that they are.
        rows = [f'{{"name":{dump(one.name)},"arguments":{one.arguments}}}' for one in inputs]
        lines = ",\n".join(rows)
        write_whole(path, f'{{"version":{_VERSION},"inputs":[\n{lines}\n]}}\n'.encode())

    def _path(self, tool: str) -> Path:
        if not _TOOL.fullmatch(tool):  # it would lead to another file
            raise UserError(f"{tool!r} is not the name of a tool.")
        return self._folder / f"{tool}.json"


def _read(file: JsonValue) -> list[SavedInput]:
    rows = file.get("inputs") if isinstance(file, dict) and file.get("version") == _VERSION else None
    if not isinstance(rows, list):
        raise ValueError("it is not a list of saved inputs of this version")  # noqa: TRY004 – of the file's text
    found: list[SavedInput] = []
    for row in rows:
        if (
            not isinstance(row, dict)
            or not isinstance(name := row.get("name"), str)
            or "arguments" not in row
        ):
            raise ValueError("one of its rows has no name or no arguments")
        found.append(SavedInput(name=name, arguments=dump(row["arguments"])))
    return found


def _clean(name: str) -> str:
    words = " ".join(name.split())
    if not words:
        raise UserError("A saved input needs a name.")
    if len(words) > LONGEST_NAME:
        raise UserError(f"The name has {len(words)} characters; {LONGEST_NAME} are the most.")
    return words


def _taken(name: str) -> NameTaken:
    return NameTaken(f"An input named {name} is already saved.", hint="Take another name, or overwrite it.")


def _gone(name: str) -> UserError:
    return UserError(f"The saved input {name} is not there any more.")
