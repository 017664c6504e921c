"""The person's own copy of the sample project, made at first use and renewed with the program while nobody edits it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple, cast

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, dump, parse_object
from workbench.base.paths import resources_dir, user_data_dir
from workbench.base.whole_files import write_whole

FIRST_TOOL = "quote_postage"
"""The tool of the sample that one begins with."""
_LEFT_OUT = (".workbench", "__pycache__")


class Renewal(Enum):
    """What became of a copy when the sample was another than the one it was made of."""

    NOT_NEEDED = auto()
    RENEWED = auto()
    LEFT = auto()
    """It was edited, and stays as it is."""


class _Kept(NamedTuple):
    """Beside a copy: digests of the files it was made of, and of the newer sample that the person was told of."""

    files: Mapping[str, str]
    told: str = ""


def sample_place() -> Path:
    """Where the copy is, or will be."""
    return user_data_dir() / "sample"


def sample_project() -> Path:
    """The copy, made now if there is none. Raises UserError when it cannot be made."""
    copy = sample_place()
    return copy if copy.exists() else _made(copy)


def fresh_copy() -> Path:
    """Another copy, beside those that there are. Raises UserError when it cannot be made."""
    place, number = sample_place(), 2
    while (copy := place.with_name(f"{place.name}-{number}")).exists():
        number += 1
    return _made(copy)


def renew(project: Path) -> Renewal:
    """Bring a copy that nobody edited to the sample as it is now; of an edited one this is told once per sample.

    What a person added stays. Any other project is left alone, and so is a copy that cannot be read or written.
    """
    try:
        return _renewed(project.resolve()) if _is_copy(project) else Renewal.NOT_NEEDED
    except OSError:
        return Renewal.NOT_NEEDED  # as good as before


def _made(copy: Path) -> Path:
    try:
        shutil.copytree(_source(), copy, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        _keep(copy, _Kept(_shipped()))
    except OSError as error:
        raise UserError(
            f"The sample cannot be copied to {copy}.",
            hint="Make its folder writable, or open a project of your own.",
            detail=str(error),
        ) from error
    return copy


def _renewed(copy: Path) -> Renewal:
    shipped, kept = _shipped(), _read(copy)
    if kept.files == shipped:
        return Renewal.NOT_NEEDED
    paths = shipped.keys() | kept.files.keys()
    now = {path: _digest(copy / path) for path in paths}
    if any(_is_edited(now[path], kept.files, shipped, path) for path in paths):
        told = hashlib.sha256(repr(sorted(shipped.items())).encode()).hexdigest()
        if kept.told == told:
            return Renewal.NOT_NEEDED
        _keep(copy, _Kept(kept.files, told))
        return Renewal.LEFT
    changed = [path for path in paths if now[path] != shipped.get(path)]
    for path in changed:
        source = _source() / path
        if path in shipped:
            write_whole(copy / path, source.read_bytes(), mode=source.stat().st_mode & 0o777)
        else:
            (copy / path).unlink(missing_ok=True)
    _keep(copy, _Kept(shipped))
    return Renewal.RENEWED if changed else Renewal.NOT_NEEDED


def _is_edited(now: str | None, kept: Mapping[str, str], shipped: Mapping[str, str], path: str) -> bool:
    """Whether a file is neither what the copy was made of nor what it is to be; without a record only the latter."""
    if not kept:
        return now != shipped.get(path)
    return now not in (kept.get(path), shipped.get(path))


def _is_copy(project: Path) -> bool:
    place = sample_place()
    return project.is_dir() and (
        project.resolve() == place.resolve()
        or (project.resolve().parent == place.parent.resolve() and _record(project).is_file())
    )


def _source() -> Path:
    return resources_dir() / "sample"


def _shipped() -> dict[str, str]:
    """The digest of each file of the sample, by its path in it."""
    source = _source()
    files = (path for path in source.rglob("*") if path.is_file())
    inside = [path for path in files if not set(path.relative_to(source).parts) & set(_LEFT_OUT)]
    return {path.relative_to(source).as_posix(): _digest(path) or "" for path in inside}


def _digest(file: Path) -> str | None:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None


def _record(copy: Path) -> Path:
    return copy.resolve().with_name(f"{copy.name}.json")


def _read(copy: Path) -> _Kept:
    """What is known of a copy; nothing of one that was made before that was kept."""
    try:
        written = parse_object(_record(copy).read_text("utf-8"))
    except (FileNotFoundError, UnicodeDecodeError, JsonError):
        return _Kept({})
    files = written.get("files")
    known: Mapping[str, object] = cast("Mapping[str, object]", files) if isinstance(files, dict) else {}
    return _Kept({path: str(digest) for path, digest in known.items()}, str(written.get("told", "")))


def _keep(copy: Path, kept: _Kept) -> None:
    write_whole(_record(copy), dump({"files": dict(kept.files), "told": kept.told}, indent=2).encode())
