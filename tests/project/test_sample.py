"""The person's copy of the sample: renewed with the program while nobody edits it, and never touched once edited."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.project import sample
from workbench.project.sample import Renewal, fresh_copy, renew, sample_place, sample_project

TOOL, NEW = "agents/tools/pack.py", "agents/tools/weigh.py"


@pytest.fixture(autouse=True)
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sample of two files, and a person's folder of the test's own."""
    folder = tmp_path / "resources"
    write(folder / "sample", {TOOL: "one", "README.md": "read"})
    monkeypatch.setattr(sample, "resources_dir", lambda: folder)
    monkeypatch.setattr(sample, "user_data_dir", lambda: tmp_path / "person")
    return folder / "sample"


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def read(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def test_a_copy_that_nobody_edited_is_renewed_and_what_was_added_stays(shipped: Path) -> None:
    copy = sample_project()
    write(copy, {"agents/tools/mine.py": "mine", ".workbench/store": "calls"})
    assert renew(copy) is Renewal.NOT_NEEDED
    write(shipped, {TOOL: "two", NEW: "new"})
    (shipped / "README.md").unlink()
    assert renew(copy) is Renewal.RENEWED
    kept = {"agents/tools/mine.py": "mine", ".workbench/store": "calls"}
    assert read(copy) == {TOOL: "two", NEW: "new", **kept}
    assert renew(copy) is Renewal.NOT_NEEDED


@pytest.mark.parametrize("edit", ["changed", "deleted", "added where the new one comes"])
def test_an_edited_copy_stays_as_it_is_which_is_told_once(shipped: Path, edit: str) -> None:
    copy = sample_project()
    match edit:
        case "changed":
            write(copy, {TOOL: "mine"})
        case "deleted":
            (copy / TOOL).unlink()
        case _:
            write(copy, {NEW: "mine"})
    edited = read(copy)
    assert renew(copy) is Renewal.NOT_NEEDED
    write(shipped, {"README.md": "read again", NEW: "new"})
    assert [renew(copy), renew(copy)] == [Renewal.LEFT, Renewal.NOT_NEEDED]
    write(shipped, {"README.md": "and again"})
    assert renew(copy) is Renewal.LEFT
    assert read(copy) == edited


def test_a_fresh_copy_lies_beside_the_edited_one_and_is_renewed_like_it(shipped: Path) -> None:
    sample_project()
    fresh = fresh_copy()
    assert (fresh.parent, fresh.name) == (sample_place().parent, "sample-2")
    assert fresh_copy().name == "sample-3"
    write(shipped, {TOOL: "two"})
    assert renew(fresh) is Renewal.RENEWED
    assert read(fresh) == read(shipped)


def test_a_copy_from_before_its_files_were_recorded_is_taken_as_edited_unless_it_is_the_sample(
    shipped: Path,
) -> None:
    shutil.copytree(shipped, sample_place())
    assert renew(sample_place()) is Renewal.NOT_NEEDED
    write(shipped, {TOOL: "two"})
    assert renew(sample_place()) is Renewal.RENEWED, "it was recorded when it was seen to be the sample"
    shutil.rmtree(sample_place())
    sample_place().with_name("sample.json").unlink()
    shutil.copytree(shipped, sample_place())
    write(shipped, {TOOL: "three"})
    assert renew(sample_place()) is Renewal.LEFT
    assert read(sample_place())[TOOL] == "two"


def test_any_other_project_is_left_alone(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write(project, {TOOL: "other"})
    assert renew(project) is Renewal.NOT_NEEDED
    assert read(project) == {TOOL: "other"}


def test_a_renewal_that_was_cut_short_goes_on(shipped: Path) -> None:
    copy = sample_project()
    write(shipped, {TOOL: "two", NEW: "new"})
    write(copy, {TOOL: "two"})
    assert renew(copy) is Renewal.RENEWED
    assert read(copy) == read(shipped)
