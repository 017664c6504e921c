"""`state.context`: scratch values that the code of one run shares, handed from call to call by the engine (T7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.worker.exact_json import NotJsonError, from_json, to_json


class Scratch:
    """`values` is what the author sees. The engine knows of each value by its JSON text; what is no JSON lasts for
    one call."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self.values: dict[str, Any] = _read(given)
        self.unshared: dict[str, str] = {}
        """Why a value is not handed on, by its key; as the last look for changes found it."""
        self._shared = self._texts()

    def changes(self) -> dict[str, Any] | None:
        """What the engine does not know yet, as it is told from here on; None when it knows all."""
        texts = self._texts()
        new = {key: text for key, text in texts.items() if self._shared.get(key) != text}
        removed = sorted(self._shared.keys() - texts.keys())
        self._shared = texts
        return {"set": new, "removed": removed} if new or removed else None

    def take(self, given: Mapping[str, str]) -> None:
        """The engine's values, after others have run; what changed here meanwhile stays."""
        texts, theirs = self._texts(), _read(given)
        read = {key: to_json(value).decode() for key, value in theirs.items()}
        for key in self._shared.keys() | theirs.keys():
            if texts.get(key) != self._shared.get(key) or key in self.unshared:
                continue
            if key not in theirs:
                self.values.pop(key, None)
            elif read[key] != texts.get(key):
                self.values[key] = theirs[key]
        self._shared = read

    def _texts(self) -> dict[str, str]:
        texts: dict[str, str] = {}
        self.unshared = {}
        for key, value in self.values.items():
            try:
                texts[_text(key)] = to_json(value).decode()
            except NotJsonError as error:
                self.unshared[str(key)] = str(error)
        return texts


def _text(key: Any) -> str:
    if not isinstance(key, str):
        raise NotJsonError(f"{key!r} is no text.")
    to_json(key)
    return key


def _read(given: Mapping[str, str]) -> dict[str, Any]:
    return {key: from_json(text.encode()) for key, text in given.items()}
