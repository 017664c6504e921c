"""A `.env` file: read, looked through for what importing it would do, and imported with what became of each name."""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from dotenv.parser import parse_stream

from workbench.app.variables.variable_names import fault_of_name
from workbench.base.errors import UserError
from workbench.domain.variables import Place

LARGEST = 1_000_000
"""Bytes."""


class Fate(Enum):
    """What importing does with a name."""

    SET = "set"
    REPLACED = "replaced"
    LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class EnvItem:
    """One name of the file. `place` is where the value is kept that is replaced; `why` says why it is left out."""

    name: str
    fate: Fate
    place: Place | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class EnvImported:
    """What was done: the names that were set, in order, and of those that were not the reason."""

    done: tuple[str, ...]
    failed: Mapping[str, str] = field(default_factory=dict[str, str])

    def check(self) -> None:
        """Raises UserError, which says what was done and what was not, unless all was done."""
        if not self.failed:
            return
        done = f"{', '.join(self.done)} {'is' if len(self.done) == 1 else 'are'} set." if self.done else ""
        raise UserError(
            f"{', '.join(self.failed)} could not be set.",
            hint=f"{next(iter(self.failed.values()))} {done or 'Nothing was set.'}",
        )


def read_env_text(path: Path) -> str:
    """The text of a `.env` file; blocks. Raises UserError when it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise UserError(f"{path.name} is larger than {LARGEST // 1_000_000} MB, which no .env file is.")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{path.name} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name} is not UTF-8 text.", hint="Save it as UTF-8.") from error


def read_env_file(text: str) -> tuple[tuple[str, str], ...]:
    """Name and value of every variable, in order; a name without a value has the empty text.

    Raises UserError naming the line that cannot be read. Its text is not repeated: it may hold a secret.
    """
    pairs: list[tuple[str, str]] = []
    for binding in parse_stream(io.StringIO(text)):
        if binding.error:
            raise UserError(
                f"Line {binding.original.line} is not NAME=value.",
                hint="Mend the line; nothing was imported.",
            )
        if binding.key is not None:
            pairs.append((binding.key, binding.value or ""))
    return tuple(pairs)


def plan_of_import(text: str, places: Mapping[str, Place], known: Collection[str]) -> tuple[EnvItem, ...]:
    """What importing a text does, each name once; the last value of one counts.

    `places` are the names that have a value at the scope that is imported to; any of the `known` ones is a name.
    Raises UserError as `read_env_file` does.
    """
    items: list[EnvItem] = []
    for name in dict(read_env_file(text)):
        fault = "" if name in known else fault_of_name(name)
        if fault:
            items.append(EnvItem(name, Fate.LEFT_OUT, why=fault))
        elif name in places:
            items.append(EnvItem(name, Fate.REPLACED, place=places[name]))
        else:
            items.append(EnvItem(name, Fate.SET))
    return tuple(items)
