"""What kind of definition lies in which folder of a project, and which names in it count (D1)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from workbench.domain.definitions import DefinitionKind, Dialect, Language
from workbench.domain.packages import Package
from workbench.project.places import AGENT_SDK_FOLDER, DEFINITION_FOLDERS


@dataclass(frozen=True, slots=True)
class DefinitionFolder:
    """A folder whose files each hold one definition. Only where it `nests` may they lie deeper.

    `path` is relative to the project, or absolute for an installed package that lies elsewhere.
    """

    path: str
    kind: DefinitionKind
    dialect: Dialect
    nests: bool = False
    package: str | None = None


def folders_of(package: Package) -> tuple[DefinitionFolder, ...]:
    """The folders of a package: those of `agents/`, in the package itself (D9)."""
    return tuple(
        replace(folder, path=f"{package.path}/{folder.path.rpartition('/')[2]}", package=package.name)
        for folder in FOLDERS
        if folder.dialect is Dialect.STANDARD_AGENTS
    )


def _folder(path: str) -> DefinitionFolder:
    kind = DefinitionKind(path.rpartition("/")[2].removesuffix("s"))
    dialect = Dialect.AGENT_SDK if path == AGENT_SDK_FOLDER else Dialect.STANDARD_AGENTS
    return DefinitionFolder(path, kind, dialect, nests=kind is DefinitionKind.EFFECT)


FOLDERS = tuple(map(_folder, DEFINITION_FOLDERS))

LANGUAGES = {
    ".py": Language.PYTHON,
    ".ts": Language.TYPESCRIPT,
    ".mts": Language.TYPESCRIPT,
    ".js": Language.TYPESCRIPT,
    ".mjs": Language.TYPESCRIPT,
}

NAME_PATTERNS = {
    Dialect.STANDARD_AGENTS: re.compile(r"[a-z][a-z0-9_]*"),
    Dialect.AGENT_SDK: re.compile(r"[A-Za-z0-9_-]{1,64}"),
}
NAME_RULES = {
    Dialect.STANDARD_AGENTS: "lower-case letters, digits and _, beginning with a letter",
    Dialect.AGENT_SDK: "1 to 64 of the letters A–Z and a–z, digits, _ and -",
}

_NOT_A_DEFINITION = re.compile(r"[._].*|.*\.d\.m?ts|.*\.(?:test|spec)\..*|test_.*\.py|conftest\.py")
_NOT_LOOKED_INTO = re.compile(r"[._].*|node_modules")


def is_definition_name(file_name: str) -> bool:
    """Whether a file of this name is meant to hold a definition, rather than a test, types or a private part."""
    return not _NOT_A_DEFINITION.fullmatch(file_name)


def is_looked_into(folder_name: str) -> bool:
    """Whether discovery looks into a folder of this name."""
    return not _NOT_LOOKED_INTO.fullmatch(folder_name)
