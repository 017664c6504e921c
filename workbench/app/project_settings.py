"""A project's settings as they stand now, and the interpreter that follows from them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from workbench.domain.definitions import Diagnostic
from workbench.project.interpreter import Interpreter, choose_interpreter
from workbench.project.settings import Settings
from workbench.project.settings_file import ReadSettings, read_settings


class ProjectSettings:
    """What workbench.toml says, read again when it changes. A bad key never stops anything (H6)."""

    def __init__(self, root: Path, read: ReadSettings, interpreter: Interpreter) -> None:
        self._root = root
        self._read = read
        self.interpreter = interpreter

    @classmethod
    async def read(cls, root: Path) -> ProjectSettings:
        """Read them for the first time."""
        return cls(root, *await asyncio.to_thread(_look, root))

    async def reread(self) -> bool:
        """Read them again; True when the tools now run in another interpreter."""
        before = self.interpreter.path
        self._read, self.interpreter = await asyncio.to_thread(_look, self._root)
        return self.interpreter.path != before

    @property
    def settings(self) -> Settings:
        return self._read.settings

    @property
    def name(self) -> str:
        """The project's name for people."""
        return self.settings.name or self._root.name

    def line_of(self, *key: str) -> int | None:
        """At which line of workbench.toml a key stands."""
        return self._read.lines.get(key)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the settings and the environment they lead to."""
        return (*self._read.diagnostics, *self.interpreter.diagnostics)


def _look(root: Path) -> tuple[ReadSettings, Interpreter]:
    read = read_settings(root)
    return read, choose_interpreter(root, read.settings, setting_line=read.lines.get(("python",)))
