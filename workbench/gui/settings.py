"""What the window remembers between two starts: its place, its columns, its colours, the open documents, the faces."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from workbench.base.paths import user_data_dir
from workbench.gui.theme import Mode


class WindowSettings:
    """A small file in the person's data folder. What cannot be read is as if it were not there."""

    def __init__(self, path: Path | None = None) -> None:
        file = path or user_data_dir() / "window.ini"
        self._values = QSettings(str(file), QSettings.Format.IniFormat)

    @property
    def mode(self) -> Mode:
        stored = self._values.value("mode", Mode.SYSTEM.value)
        return Mode(stored) if stored in set(Mode) else Mode.SYSTEM

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._values.setValue("mode", mode.value)

    def layout(self, name: str) -> QByteArray | None:
        """Bytes that a window or a splitter gave to be restored."""
        stored = self._values.value(f"layout/{name}")
        return stored if isinstance(stored, QByteArray) else None

    def keep_layout(self, name: str, state: QByteArray) -> None:
        self._values.setValue(f"layout/{name}", state)

    def documents(self, project: Path) -> tuple[list[str], str]:
        """Keys of the documents that were open in a project, in their order, and the one in front."""
        stored = self._values.value(_key(project))
        front, *keys = str(stored).split("\n") if stored else [""]
        return keys, front

    def keep_documents(self, project: Path, keys: list[str], front: str) -> None:
        self._values.setValue(_key(project), "\n".join([front, *keys]))

    def face(self, tool: str) -> str | None:
        """How results of a tool were looked at last."""
        stored = self._values.value(_face_key(tool))
        return str(stored) if stored else None

    def keep_face(self, tool: str, face: str) -> None:
        self._values.setValue(_face_key(tool), face)

    def save(self) -> None:
        self._values.sync()


def _face_key(tool: str) -> str:
    return "faces/" + tool.replace("/", "%")


def _key(project: Path) -> str:
    return "documents/" + str(project).replace("/", "%")
