"""What changed in a project between two looks: files compared by their stamps, whatever the events said."""

from __future__ import annotations

import os
import stat
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.domain.definitions import Diagnostic
from workbench.project.layout import LANGUAGES
from workbench.project.places import SETTINGS_FILE

_WATCHED_ENDINGS = (*LANGUAGES, ".json")
_NODE_MODULES = "node_modules"
_INSTALLED = frozenset({".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"})
"""What npm, pnpm and Yarn write into node_modules once all of it is there."""
_Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ProjectChange:
    """What became of a project's files: paths relative to the project, with forward slashes, sorted.

    `diagnostics` says what the watching itself could not do.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def paths(self) -> frozenset[str]:
        """Every path that is not as it was."""
        return frozenset((*self.added, *self.changed, *self.deleted))

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.deleted or self.diagnostics)


class ProjectTree:
    """The files of a project that matter to definitions, as they stood at the last look.

    Folders of environments, packages and caches are not looked into; of node_modules is told, under its own path, that
    something was installed there. Blocking: runs in a lane.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._folders: dict[Path, dict[str, _Stamp]] = {}
        self._has_links = False
        self.look()

    @property
    def folders(self) -> frozenset[Path]:
        """Every folder that was looked into, as an absolute path."""
        return frozenset(self._folders)

    def look(self, folders: Iterable[Path] | None = None) -> ProjectChange:
        """What changed since the last look: everywhere, or only in these folders and in what is new below them."""
        # Through a link one folder has two paths, and an event may name either.
        if folders is not None and not self._has_links:
            return self._look_at(frozenset(folders))
        before = self._folders
        self._folders, _ = self._walk([self.root], known=())
        return self._difference(before, self._folders)

    def _look_at(self, folders: frozenset[Path]) -> ProjectChange:
        before = self._folders
        found, seen = self._walk(folders, known=before)
        gone = {
            folder
            for folder in before
            if (folder in folders and folder not in found) or (folder.parent in found and folder not in seen)
        }
        lost = {folder for folder in before if gone.intersection((folder, *folder.parents))}
        self._folders = {folder: files for folder, files in (before | found).items() if folder not in lost}
        looked_at = (found.keys() | lost) & before.keys()
        return self._difference({folder: before[folder] for folder in looked_at}, found)

    def _walk(
        self, starts: Iterable[Path], known: Container[Path]
    ) -> tuple[dict[Path, dict[str, _Stamp]], set[Path]]:
        """The files of these folders and of all below that are not known, and every folder that was met."""
        found: dict[Path, dict[str, _Stamp]] = {}
        waiting = [(folder, False) for folder in starts]
        seen = {folder for folder, _ in waiting}
        while waiting:
            folder, through_link = waiting.pop()
            listing = self._list(folder, through_link=through_link)
            if listing is not None:
                found[folder], below = listing
                seen.update(path for path, _ in below)
                waiting += [(path, linked) for path, linked in below if path not in known]
        return found, seen

    def _list(
        self, folder: Path, *, through_link: bool
    ) -> tuple[dict[str, _Stamp], list[tuple[Path, bool]]] | None:
        """The stamps of a folder's files, and its folders; None when it is not there or not to be looked into."""
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError:
            return None
        if folder != self.root and any(entry.name == "pyvenv.cfg" for entry in entries):
            return None
        if folder.name == _NODE_MODULES and folder != self.root:
            return _installed(folder, entries), []
        files: dict[str, _Stamp] = {}
        folders: list[tuple[Path, bool]] = []
        for entry in entries:
            try:
                if entry.is_symlink() and (through_link or not self._stays_inside(folder / entry.name)):
                    continue  # one link on a path is followed, so that links in a circle end
                if entry.is_dir():
                    if is_watched_folder(entry.name):
                        folders.append((folder / entry.name, through_link or entry.is_symlink()))
                elif is_watched_file(entry.name):
                    found = entry.stat()
                    if stat.S_ISREG(found.st_mode):
                        files[entry.name] = (found.st_mtime_ns, found.st_size, found.st_ino)
            except OSError:
                continue  # it went away, or cannot be looked at: as good as not there
        return files, folders

    def _stays_inside(self, link: Path) -> bool:
        self._has_links = True
        try:
            return link.resolve(strict=True).is_relative_to(self.root)
        except RuntimeError:
            return False

    def _difference(
        self, before: dict[Path, dict[str, _Stamp]], after: dict[Path, dict[str, _Stamp]]
    ) -> ProjectChange:
        added: list[str] = []
        changed: list[str] = []
        deleted: list[str] = []
        for folder in before.keys() | after.keys():
            old, new = before.get(folder, {}), after.get(folder, {})
            if old == new:
                continue
            added += self._shown(folder, new.keys() - old.keys())
            changed += self._shown(
                folder, (name for name in new.keys() & old.keys() if new[name] != old[name])
            )
            deleted += self._shown(folder, old.keys() - new.keys())
        return ProjectChange(tuple(sorted(added)), tuple(sorted(changed)), tuple(sorted(deleted)))

    def _shown(self, folder: Path, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            path = (folder / name).relative_to(self.root).as_posix()
            yield os.fsencode(path).decode("utf-8", "backslashreplace")


def _installed(folder: Path, entries: Iterable[os.DirEntry[str]]) -> dict[str, _Stamp]:
    """A folder of packages as one file, which changes when an installation ends; without a package manager's word for
    that, when a package comes or goes."""
    try:
        stats = [entry.stat() for entry in entries if entry.name in _INSTALLED] or [folder.stat()]
    except OSError:
        return {}
    last = max(stats, key=lambda found: found.st_mtime_ns)
    return {"": (last.st_mtime_ns, last.st_size, last.st_ino)}


def is_watched_folder(name: str) -> bool:
    """Whether changes below a folder of this name matter."""
    return not name.startswith(".") and name != "__pycache__"


def is_watched_file(name: str) -> bool:
    """Whether a change of a file of this name matters."""
    return name.endswith(_WATCHED_ENDINGS) or name == SETTINGS_FILE or name in _INSTALLED
