"""The projects that were open lately are remembered, whatever becomes of the file or their folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.project.folder import make_project
from workbench.project.recent import RecentProjects


def _project(root: Path) -> Path:
    make_project(root)
    return root


def test_the_newest_comes_first_and_one_that_is_opened_again_is_listed_once(tmp_path: Path) -> None:
    recent = RecentProjects(tmp_path / "recent.json")
    for name in ("one", "two", "one"):
        recent.remember(_project(tmp_path / name), name)
    assert [(each.name, each.path.name) for each in recent.all()] == [("one", "one"), ("two", "two")]
    assert RecentProjects(tmp_path / "recent.json").last() == tmp_path / "one"


def test_a_folder_that_is_gone_is_listed_as_that_passed_over_and_can_be_forgotten(tmp_path: Path) -> None:
    recent = RecentProjects(tmp_path / "recent.json")
    for name in ("kept", "gone"):
        recent.remember(_project(tmp_path / name), name)
    (tmp_path / "gone").rename(tmp_path / "moved")
    assert [each.is_there for each in recent.all()] == [False, True]
    assert recent.last() == tmp_path / "kept"
    recent.forget(tmp_path / "gone")
    assert [each.name for each in recent.all()] == ["kept"]


def test_no_more_are_kept_than_a_person_looks_through(tmp_path: Path) -> None:
    recent = RecentProjects(tmp_path / "recent.json")
    for number in range(40):
        recent.remember(tmp_path / str(number), str(number))
    assert len(recent.all()) == 12


@pytest.mark.parametrize("text", ["", "{", "[1, null]", '{"path": "x"}', '[{"path": 3}]', "[" * 100_000])
def test_a_file_that_cannot_be_read_is_an_empty_list_and_is_written_anew(tmp_path: Path, text: str) -> None:
    file = tmp_path / "recent.json"
    file.write_text(text)
    recent = RecentProjects(file)
    assert recent.all() == ()
    recent.remember(_project(tmp_path / "one"), "one")
    assert recent.last() == tmp_path / "one"
