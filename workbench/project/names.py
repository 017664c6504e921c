"""What is wrong with the names that files give to definitions (D1, D2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from workbench.domain.agents import LIFECYCLE_TOOLS
from workbench.domain.definitions import (
    LONGEST_CALLABLE_NAME,
    DefinitionFile,
    DefinitionKind,
    Diagnostic,
    Severity,
)
from workbench.project.layout import NAME_PATTERNS, NAME_RULES

_NAMED_BY_FILE = frozenset({DefinitionKind.TOOL, DefinitionKind.EFFECT, DefinitionKind.HANDLER})
_Key = tuple[DefinitionKind, str | None, str]


def name_problems(file: DefinitionFile) -> Iterator[Diagnostic]:
    """What is wrong with one file's own name. Kinds that carry their name inside are not judged here."""
    if file.kind not in _NAMED_BY_FILE:
        return
    parts = file.name.split("/") if file.kind is DefinitionKind.EFFECT else [file.name]
    if not all(NAME_PATTERNS[file.dialect].fullmatch(part) for part in parts):
        yield _problem(
            file,
            "bad-name",
            f"“{file.name}” is not a name that a {file.kind} can have: {NAME_RULES[file.dialect]}.",
            "Rename the file; its name without the ending is what the model sees.",
        )
    elif file.kind is DefinitionKind.TOOL and file.name in LIFECYCLE_TOOLS:
        yield _problem(
            file,
            "reserved-name",
            f"“{file.name}” is the name of a built-in tool for subagents.",
            "Rename the file.",
        )
    elif file.kind is DefinitionKind.TOOL and len(file.name) > LONGEST_CALLABLE_NAME:
        yield _problem(
            file,
            "bad-name",
            f"The name “{file.name}” has {len(file.name)} characters; model providers take {LONGEST_CALLABLE_NAME}.",
            "Give the file a shorter name.",
            Severity.WARNING,
        )


def clashes(files: Sequence[DefinitionFile]) -> Iterator[Diagnostic]:
    """Tools (effects, handlers) of one name: none of them can be told from the others, so none is callable (D2)."""
    same: defaultdict[_Key, list[DefinitionFile]] = defaultdict(list)
    folded: defaultdict[_Key, list[DefinitionFile]] = defaultdict(list)
    for file in files:
        if file.kind in _NAMED_BY_FILE:
            same[file.kind, file.package, file.name].append(file)
            folded[file.kind, file.package, file.name.lower()].append(file)
    for twins in same.values():
        for file in twins:
            others = [twin.path for twin in twins if twin is not file]
            if others:
                yield _problem(
                    file,
                    "name-clash",
                    f"The {file.kind} “{file.name}” is defined in {file.path} and in {' and in '.join(others)}.",
                    "Rename or remove all but one; until then none of them can be called.",
                )
    for twins in folded.values():
        for file in twins:
            others = sorted({twin.name for twin in twins} - {file.name})
            if others:
                yield _problem(
                    file,
                    "name-case",
                    f"The names “{file.name}” and “{'”, “'.join(others)}” differ in case only.",
                    "Rename one: many file systems, and many models, do not tell them apart.",
                    Severity.WARNING,
                )


def _problem(
    file: DefinitionFile, code: str, message: str, hint: str, severity: Severity = Severity.ERROR
) -> Diagnostic:
    return Diagnostic(
        code=code, severity=severity, path=file.path, name=file.name, message=message, hint=hint
    )
