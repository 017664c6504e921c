"""A package.json: what the names that a package gives, or asks for, lead to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

_CONDITIONS = ("import", "module", "worker", "browser", "default")
_COMMONJS_CONDITIONS = (*_CONDITIONS, "require")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What one says, as an ES module in a browser understands it."""

    entries: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def is_module(self) -> bool:
        """Whether its `.js` files are ES modules."""
        return self.entries.get("type") == "module"

    @property
    def in_browser(self) -> Mapping[str, object]:
        """What stands in a file's or a package's place where there is no Node.js: another one, or False for none."""
        browser = self.entries.get("browser")
        return cast("Mapping[str, object]", browser) if isinstance(browser, dict) else {}

    def target(self, inner: str) -> str | None:
        """The file that a path inside of the package means, "" for the package; None where it does not export that."""
        exports = self.entries.get("exports")
        if exports is not None:
            return _exported(exports, f"./{inner}" if inner else ".")
        named = (self.entries.get(each) for each in ("module", "browser", "main"))
        return inner or next((name for name in named if isinstance(name, str) and name), "index.js")

    def imported(self, specifier: str) -> str | None:
        """What a name of its own (`#name`) leads to."""
        imports = self.entries.get("imports")
        return (
            _matched(cast("Mapping[str, object]", imports), specifier) if isinstance(imports, dict) else None
        )


def read_manifest(folder: Path) -> Manifest | None:
    """The one of a folder; None where there is none that can be read."""
    try:
        read = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return Manifest(cast("Mapping[str, object]", read)) if isinstance(read, dict) else None


def _exported(exports: object, wanted: str) -> str | None:
    """The target of an exports map for `.` or `./inner`: conditions, subpaths, and patterns with one star."""
    if isinstance(exports, dict):
        exports = entries = cast("Mapping[str, object]", exports)
        if any(key.startswith(".") for key in entries):
            return _matched(entries, wanted)
    return _conditioned(exports) if wanted == "." else None


def _matched(entries: Mapping[str, object], wanted: str) -> str | None:
    if wanted in entries:
        return _conditioned(entries[wanted])
    best: tuple[int, str] | None = None
    for pattern, target in entries.items():
        head, star, tail = pattern.partition("*")
        if not star or not wanted.startswith(head) or not wanted.endswith(tail):
            continue
        if len(wanted) < len(head) + len(tail) or (best is not None and best[0] >= len(head)):
            continue
        chosen = _conditioned(target)
        if chosen is not None:
            middle = wanted[len(head) : len(wanted) - len(tail)]
            best = (len(head), chosen.replace("*", middle))
    return best[1] if best else None


def _conditioned(target: object) -> str | None:
    """The first target whose condition we fulfil; an ES module before what is required, wherever it stands."""
    for conditions in (_CONDITIONS, _COMMONJS_CONDITIONS):
        found = _first(target, conditions)
        if found is not None:
            return found
    return None


def _first(target: object, conditions: Sequence[str]) -> str | None:
    if isinstance(target, str):
        return target
    if isinstance(target, list):
        for item in cast("Sequence[object]", target):
            found = _first(item, conditions)
            if found is not None:
                return found
    if isinstance(target, dict):
        for condition, item in cast("Mapping[str, object]", target).items():
            if condition in conditions:
                found = _first(item, conditions)
                if found is not None:
                    return found
    return None
