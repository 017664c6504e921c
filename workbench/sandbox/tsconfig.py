"""Where a project's tsconfig.json leads imports (`paths`, `baseUrl`), as editors and bundlers follow it (D4)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])')
_MOST_EXTENDED = 8


class Aliases:
    """The names that imports of a project may begin with; none where its tsconfig.json is missing or cannot be read."""

    def __init__(self, root: Path) -> None:
        self.files: list[str] = []
        """The files that were asked, by their paths in the project: they may be missing."""
        self._base: Path | None = None
        self._paths: dict[str, tuple[Path, Sequence[object]]] = {}
        self._read(root / "tsconfig.json", root, _MOST_EXTENDED)

    def targets(self, specifier: str) -> Iterator[Path]:
        """The files that it may mean, as they are written there, the likeliest first."""
        matches = [
            (len(head), base, target.replace("*", specifier[len(head) : len(specifier) - len(tail)]))
            for pattern, (base, targets) in self._paths.items()
            for head, star, tail in [pattern.partition("*")]
            if (specifier == pattern if not star else _is_between(head, tail, specifier))
            for target in targets
            if isinstance(target, str)
        ]
        longest = max((length for length, _, _ in matches), default=0)
        yield from ((self._base or base) / target for length, base, target in matches if length == longest)
        if self._base is not None:
            yield self._base / specifier

    def _read(self, file: Path, root: Path, left: int) -> None:
        """What is set in a file counts before what is set in those that it extends."""
        real = file.resolve()
        if not left or not real.is_relative_to(root):
            return
        self.files.append(real.relative_to(root).as_posix())
        config = _config(file)
        extended = config.get("extends")
        for name in cast("list[object]", extended) if isinstance(extended, list) else [extended]:
            if isinstance(name, str) and name.startswith("."):
                self._read(file.parent / (name if name.endswith(".json") else f"{name}.json"), root, left - 1)
        options = config.get("compilerOptions")
        if isinstance(options, dict):
            self._take(cast("Mapping[str, object]", options), file.parent)

    def _take(self, options: Mapping[str, object], folder: Path) -> None:
        base, paths = options.get("baseUrl"), options.get("paths")
        if isinstance(base, str):
            self._base = folder / base
        if isinstance(paths, dict):
            named = cast("Mapping[str, object]", paths).items()
            self._paths = {
                pattern: (folder, cast("list[object]", targets))
                for pattern, targets in named
                if isinstance(targets, list)
            }


def _is_between(head: str, tail: str, specifier: str) -> bool:
    fits = len(specifier) >= len(head) + len(tail)
    return fits and specifier.startswith(head) and specifier.endswith(tail)


def _config(file: Path) -> Mapping[str, object]:
    """JSON with comments and last commas, as it may be there."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        read: object = json.loads(_without(_LAST_COMMA, _without(_COMMENT, text)))
    except (OSError, ValueError):
        return {}
    return cast("Mapping[str, object]", read) if isinstance(read, dict) else {}


def _without(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda found: found[0] if found[0].startswith('"') else "", text)
