"""What the window remembers between two starts: places, columns, colours, sizes, documents, groups, windows, faces."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from workbench.base.paths import user_data_dir
from workbench.gui.process.text_size import NORMAL, STEPS
from workbench.gui.style.theme import Mode


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

    @property
    def text_size(self) -> int:
        """One of `text_size.STEPS`."""
        stored = str(self._values.value("text_size", NORMAL))
        return int(stored) if stored in map(str, STEPS) else NORMAL

    @text_size.setter
    def text_size(self, size: int) -> None:
        self._values.setValue("text_size", size)

    def layout(self, name: str) -> QByteArray | None:
        """Bytes that a window or a splitter gave to be restored."""
        stored = self._values.value(f"layout/{name}")
        return stored if isinstance(stored, QByteArray) else None

    def keep_layout(self, name: str, state: QByteArray) -> None:
        self._values.setValue(f"layout/{name}", state)

    def documents(self, project: Path) -> tuple[list[str], str]:
        """Keys of the documents that were open in a project, in their order, and the one in front."""
        stored = self._values.value(_key(project, "documents"))
        front, *keys = str(stored).split("\n") if stored else [""]
        return keys, front

    def keep_documents(self, project: Path, keys: list[str], front: str) -> None:
        self._values.setValue(_key(project, "documents"), "\n".join([front, *keys]))

    def closed_groups(self, project: Path) -> frozenset[str] | None:
        """Keys of the groups that a person closed in a project's navigator; None when none was ever turned there."""
        stored = self._values.value(_key(project, "groups"))
        return None if stored is None else frozenset(str(stored).split("\n")) - {""}

    def keep_closed_groups(self, project: Path, keys: Iterable[str]) -> None:
        self._values.setValue(_key(project, "groups"), "\n".join(sorted(keys)))

    def keep_windows(self, projects: list[Path]) -> None:
        """Which projects this process has windows on, at once: nobody says when a process is killed."""
        if projects:
            self._values.setValue(f"{_WINDOWS}/{os.getpid()}", "\n".join(map(str, projects)))
        else:
            self._values.remove(f"{_WINDOWS}/{os.getpid()}")
        self._values.sync()

    def take_windows_left(self) -> list[Path]:
        """The projects of windows whose process ended without closing them; asked again, they are none."""
        self._values.beginGroup(_WINDOWS)
        dead = [pid for pid in self._values.childKeys() if not _is_alive(pid)]
        left = [line for pid in dead for line in str(self._values.value(pid)).split("\n")]
        for pid in dead:
            self._values.remove(pid)
        self._values.endGroup()
        return [Path(line) for line in dict.fromkeys(left)]

    def keep_for_restart(self, projects: list[Path]) -> None:
        """Which windows this process opens when it has been started again in its own place."""
        self._values.setValue(f"{_AGAIN}/{os.getpid()}", "\n".join(map(str, projects)))
        self._values.sync()

    def take_for_restart(self) -> list[Path]:
        """The projects of the windows before the restart; none where there was no restart."""
        stored = self._values.value(f"{_AGAIN}/{os.getpid()}")
        self._values.remove(f"{_AGAIN}/{os.getpid()}")
        return [Path(line) for line in str(stored).split("\n")] if stored else []

    def face(self, tool: str) -> str | None:
        """How results of a tool were looked at last."""
        stored = self._values.value(_face_key(tool))
        return str(stored) if stored else None

    def keep_face(self, tool: str, face: str) -> None:
        self._values.setValue(_face_key(tool), face)

    def save(self) -> None:
        self._values.sync()


_WINDOWS = "windows"
_AGAIN = "again"


def _is_alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True  # of another person
    return True


def _face_key(tool: str) -> str:
    return "faces/" + tool.replace("/", "%")


def _key(project: Path, what: str) -> str:
    return f"{what}/" + str(project).replace("/", "%")
