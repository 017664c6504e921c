"""Finding a project, its name in addresses, and the one folder that is made in it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.project.discovery import Discovery
from workbench.project.folder import find_project, make_data_dir, project_slug
from workbench.project.interpreter import choose_interpreter
from workbench.project.settings_file import read_settings
from workbench.project.tree import ProjectTree

Write = Callable[..., Path]


@pytest.mark.parametrize(
    "mark",
    ["workbench.toml", "agents/tools/a.py", "agents/effects/a.py", "bot/tools/a.ts", ".workbench/threads.db"],
)
def test_a_project_is_found_from_anywhere_inside(root: Path, write: Write, mark: str) -> None:
    write(mark)
    inside = write("data/deep/file.txt")
    assert find_project(root) == root
    assert find_project(inside) == root
    assert find_project(inside.parent) == root


def test_the_nearest_project_wins(root: Path, write: Write) -> None:
    write("workbench.toml")
    inner = write("examples/small/bot/tools/a.ts")
    assert find_project(inner) == root / "examples/small"


@pytest.mark.parametrize("made", ["agents/notes.md", "bot/readme.md"])
def test_a_folder_without_definitions_is_no_project(root: Path, write: Write, made: str) -> None:
    write(made)
    with pytest.raises(UserError, match="is not in a project"):
        find_project(root)


@pytest.mark.parametrize("name", ["nowhere", "x" * 5_000, "a\0b"])
def test_a_path_that_is_not_there_is_said_to_be_so(root: Path, name: str) -> None:
    with pytest.raises(UserError, match="Cannot open"):
        find_project(root / name)


@pytest.mark.rule("H1")
@pytest.mark.parametrize(
    ("folder", "name", "slug"),
    [
        ("Parcel Desk", None, "parcel-desk"),
        ("parcel_desk-2", None, "parcel_desk-2"),
        ("Größe.v1", None, "gr--e-v1"),
        ("x", "My Desk", "my-desk"),
        ("x", "..", "--"),
    ],
)
def test_a_project_is_addressed_by_its_name_or_its_folders(folder: str, name: str | None, slug: str) -> None:
    assert project_slug(Path("/somewhere") / folder, name) == slug


def test_the_root_of_the_file_system_has_an_address(root: Path) -> None:
    assert project_slug(Path("/")) == "project"


@pytest.mark.rule("H5")
def test_the_data_folder_is_made_when_asked_and_kept_out_of_version_control(root: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    folder = make_data_dir(root)
    (folder / "threads.db").write_text("")
    assert folder == root / ".workbench"
    assert folder.stat().st_mode & 0o077 == 0
    status = subprocess.run(["git", "status", "--porcelain"], cwd=root, check=True, capture_output=True)
    assert status.stdout == b""
    (folder / ".gitignore").write_text("mine\n")
    assert make_data_dir(root) == folder
    assert (folder / ".gitignore").read_text() == "mine\n"


def test_a_data_folder_that_leaves_the_project_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (root / ".workbench").symlink_to(tmp_path / "outside")
    with pytest.raises(UserError, match="leaves the project"):
        make_data_dir(root)
    assert not list((tmp_path / "outside").iterdir())


def test_a_data_folder_that_cannot_be_made_is_said_to_be_so(root: Path, write: Write) -> None:
    write(".workbench")
    with pytest.raises(UserError, match="Cannot write"):
        make_data_dir(root)


@pytest.mark.rule("H5")
def test_looking_at_a_project_changes_nothing_in_it(root: Path, write: Write) -> None:
    write("workbench.toml", 'pythn = "x"\n[connections.a]\n')
    write("requirements.txt", "httpx\n")
    write("agents/tools/one.py", "x = 1")
    write("bot/tools/deep/two.ts")

    def state() -> list[tuple[str, int]]:
        return sorted((str(path), path.stat().st_mtime_ns) for path in (root, *root.rglob("*")))

    before = state()
    find_project(root / "agents")
    Discovery(root).look()
    choose_interpreter(root, read_settings(root).settings)
    ProjectTree(root).look()
    assert state() == before
