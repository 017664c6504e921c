"""Code pads on disk: one small file each in the project's own data, and one for how its last run ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from workbench.app.pads.contents import LONGEST_NAME, PadContent, content_from
from workbench.app.pads.record import PadRecord
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, dump, parse
from workbench.base.whole_files import write_whole

_ID = re.compile(r"[0-9a-f-]{36}")
_VERSION = 1


class KeptPad(NamedTuple):
    """A file's content; without `saved` the pad was made and never saved."""

    name: str
    saved: PadContent | None


class KeptPads:
    """Reads and writes the files; all of it blocks. What is given to it was masked before (V6)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> dict[str, KeptPad]:
        """Every pad that can be read, by id."""
        return dict(self._read_all())

    def read(self, id: str) -> KeptPad:
        """Raises UserError when it is gone or cannot be read."""
        path = self._path(id)
        try:
            return _read(path)
        except FileNotFoundError:
            raise UserError("This code pad is not there any more.") from None
        except (OSError, JsonError, ValueError) as error:
            raise UserError(
                "The code pad cannot be read.", hint=f"Mend {path}, or delete it.", detail=str(error)
            ) from error

    def exists(self, id: str) -> bool:
        return self._path(id).is_file()

    def write(self, id: str, pad: KeptPad) -> None:
        """Put it in the place of what was there. Raises OSError."""
        saved = None if pad.saved is None else pad.saved.to_json()
        write_whole(
            self._path(id), dump({"version": _VERSION, "name": pad.name, "saved": saved}, indent=1).encode()
        )

    def delete(self, id: str) -> None:
        """Raises OSError."""
        self._path(id).unlink(missing_ok=True)
        self._run_path(id).unlink(missing_ok=True)

    def record(self, id: str) -> PadRecord | None:
        """How the last run ended; None when there is no record that can be read."""
        with suppress(OSError, ValueError):
            return PadRecord.model_validate_json(self._run_path(id).read_bytes())
        return None

    def keep_record(self, id: str, record: PadRecord) -> None:
        """Raises OSError."""
        write_whole(self._run_path(id), record.model_dump_json().encode())

    def _read_all(self) -> Iterator[tuple[str, KeptPad]]:
        for path in self._folder.glob("*.json"):
            if _ID.fullmatch(path.stem):
                with suppress(OSError, JsonError, ValueError):
                    yield path.stem, _read(path)

    def _path(self, id: str) -> Path:
        if not _ID.fullmatch(id):  # it would lead to another file
            raise UserError(f"{id!r} is not the id of a code pad.")
        return self._folder / f"{id}.json"

    def _run_path(self, id: str) -> Path:
        return self._path(id).with_suffix(".run")


def _read(path: Path) -> KeptPad:
    file = parse(path.read_bytes())
    if not isinstance(file, dict) or file.get("version") != _VERSION:
        raise ValueError("it is no code pad of this version")
    saved = file.get("saved")
    return KeptPad(str(file.get("name", "")), None if saved is None else content_from(saved))


def clean_name(name: str) -> str:
    """A name as it is kept. Raises UserError."""
    words = " ".join(name.split())
    if not words:
        raise UserError("A code pad needs a name.")
    if len(words) > LONGEST_NAME:
        raise UserError(f"The name has {len(words)} characters; {LONGEST_NAME} are the most.")
    return words
