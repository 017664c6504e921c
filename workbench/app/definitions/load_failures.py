"""What the author's code said when it could not be loaded, without the secrets that it may have had in hand (V6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from workbench.base.masker import Masker
from workbench.domain.definitions import LoadedFile

WITHHELD = "It did not load. Why is said when your keyring has answered: a secret may stand in it."


def says_why_not(loaded: LoadedFile) -> bool:
    """Whether there are words of the author's code in it."""
    return bool(loaded.problems) or any("error" in schema for schema in _schemas(loaded).values())


def masked(loaded: LoadedFile, masker: Masker) -> LoadedFile:
    return _reworded(loaded, masker.mask)


def withheld(loaded: LoadedFile) -> LoadedFile:
    """That it did not load, and nothing of what was said."""
    return _reworded(loaded, lambda words: WITHHELD if words else "")


def _schemas(loaded: LoadedFile) -> Mapping[str, Mapping[str, object]]:
    return cast("Mapping[str, Mapping[str, object]]", (loaded.raw or {}).get("schemas") or {})


def _reworded(loaded: LoadedFile, change: Callable[[str], str]) -> LoadedFile:
    problems = tuple(
        problem.model_copy(update={"message": change(problem.message), "hint": change(problem.hint)})
        for problem in loaded.problems
    )
    schemas = {
        name: {**schema, "error": change(str(schema["error"]))} if "error" in schema else schema
        for name, schema in _schemas(loaded).items()
    }
    raw = None if loaded.raw is None else {**loaded.raw, "schemas": schemas}
    return loaded.model_copy(update={"problems": problems, "raw": raw})
