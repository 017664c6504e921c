"""A file is written whole or not at all, and is its owner's alone from its first moment."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from workbench.base.whole_files import write_whole


def test_a_file_takes_the_place_of_the_one_before_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "kept.json"
    write_whole(file, b"one")
    write_whole(file, b"two")
    assert file.read_bytes() == b"two"
    assert [each.name for each in file.parent.iterdir()] == ["kept.json"]


def test_what_is_being_written_can_be_read_by_its_owner_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def look(descriptor: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(descriptor).st_mode))

    monkeypatch.setattr(os, "fsync", look)
    before = os.umask(0)
    try:
        write_whole(tmp_path / "kept.json", b"secret")
        write_whole(tmp_path / "source.py", b"shared", mode=0o644)
    finally:
        os.umask(before)
    assert seen == [0o600, 0o600]
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("kept.json", "source.py")]
    assert modes == [0o600, 0o644]


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    file.mkdir()
    with pytest.raises(OSError, match="kept"):
        write_whole(file, b"two")
    assert [each.name for each in tmp_path.iterdir()] == ["kept.json"]
