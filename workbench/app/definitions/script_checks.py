"""Scripts of models are read whenever definitions are, so that what is wrong in one is known before it plays."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from workbench.domain.definitions import Diagnostic, Severity
from workbench.domain.models import ModelDefinition, Provider
from workbench.engine.catalog import Catalog
from workbench.engine.catalog.referring import line_of
from workbench.models import BUILT_IN, Script, read_script, why_not_read

_Stamp = tuple[int, int]


class ScriptChecks:
    """Keeps what it found of a script until its file changes."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._seen: dict[str, tuple[_Stamp, tuple[Diagnostic, ...]]] = {}

    async def look(self, catalog: Catalog) -> tuple[Diagnostic, ...]:
        """What is wrong with the scripts that models name, and which are not there."""
        played = [
            model
            for model in catalog.directory.all(ModelDefinition)
            if model.provider is Provider.SCRIPTED and model.model != BUILT_IN
        ]
        sources = {model.file.path: catalog.source(model.file.path) for model in played}
        return await asyncio.to_thread(lambda: tuple(self._look(played, sources)))

    def _look(self, models: Iterable[ModelDefinition], sources: Mapping[str, str]) -> Iterator[Diagnostic]:
        told: set[str] = set()
        for model in models:
            path = self._root / model.model
            try:
                found = self._found(model.model, path)
            except (OSError, UnicodeDecodeError) as error:
                why = f"The script {model.model} of the model {model.name} cannot be read: {why_not_read(error)}."
                yield Diagnostic(
                    code="unknown-script",
                    severity=Severity.ERROR,
                    path=model.file.path,
                    line=line_of(sources[model.file.path], model.model, model.line),
                    name=model.qualified_name,
                    message=why,
                    hint=f"Write its path below the project's folder, or {BUILT_IN}, which is always there.",
                )
                continue
            if model.model not in told:
                yield from found
            told.add(model.model)

    def _found(self, name: str, path: Path) -> tuple[Diagnostic, ...]:
        status = path.stat()
        stamp = (status.st_mtime_ns, status.st_size)
        if name not in self._seen or self._seen[name][0] != stamp:
            self._seen[name] = (stamp, tuple(_faults(name, path.read_text("utf-8"))))
        return self._seen[name][1]


def _faults(name: str, text: str) -> Iterator[Diagnostic]:
    script = read_script(text)
    if isinstance(script, Script):
        return
    for fault in script:
        yield Diagnostic(
            code="broken-script",
            severity=Severity.ERROR,
            path=name,
            line=fault.line,
            column=fault.column,
            message=fault.message,
            hint="The help page Models tells what a script may say.",
        )
