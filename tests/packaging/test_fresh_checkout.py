"""The two commands and the wheel, for real: from a fresh clone, in a path with a space, with nothing installed."""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.architecture.tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

BASE_PYTHON = str(Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}"))


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fresh") / "a clone"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, folder], check=True)
    return folder


def without_display(command: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    hidden = {"DISPLAY", "WAYLAND_DISPLAY", "PYTHONPATH", "VIRTUAL_ENV"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["XDG_DATA_HOME"] = str(cwd / "data")
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_run_without_a_display_installs_and_shows_the_demonstration(clone: Path, tmp_path: Path) -> None:
    outcome = without_display([BASE_PYTHON, str(clone / "packaging" / "run.py")], tmp_path)

    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "No display was found" in outcome.stdout
    assert (clone / ".venv" / "bin" / "workbench").is_file()
    suggested = [line for line in outcome.stderr.splitlines() if " call list " in line]
    assert len(suggested) == 1, outcome.stderr
    listed = without_display(shlex.split(suggested[0]), tmp_path)
    assert "quote_postage" in listed.stdout
    changed = subprocess.run(
        ["git", "status", "--porcelain", "--ignored=matching"],
        cwd=clone,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line for line in changed.stdout.splitlines() if "resources" in line] == ["!! resources/sandbox/"]


def worked_by_children() -> float:
    """Seconds of a core, which are the same on a machine that has other work, too."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_a_second_run_has_nothing_to_set_up_and_knows_it_at_once(clone: Path) -> None:
    set_up = "import setup_environment as s; s.check_python(); s.prepare(dev=False)"
    without_display([BASE_PYTHON, "-c", set_up], clone / "packaging")

    before = worked_by_children()
    second = without_display([BASE_PYTHON, "-c", set_up], clone / "packaging")

    assert worked_by_children() - before < 2
    assert (second.returncode, second.stdout) == (0, "")


def test_the_test_command_runs_what_it_is_asked_for_and_gives_its_outcome(
    clone: Path, tmp_path: Path
) -> None:
    command = [BASE_PYTHON, str(clone / "packaging" / "test.py"), "tests/packaging/test_lock.py"]

    passed = without_display(command, tmp_path)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert " passed" in passed.stdout
    assert (
        without_display([*command, "-k", "no_such_test"], tmp_path).returncode
        == pytest.ExitCode.NO_TESTS_COLLECTED
    )


def test_the_wheel_carries_the_program_and_its_resources(clone: Path, tmp_path: Path) -> None:
    private = clone / "resources" / "sample" / ".workbench"
    private.mkdir(parents=True, exist_ok=True)
    (private / "store.db").write_text("a person's own data", "utf-8")
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(tmp_path),
        str(clone),
    ]
    subprocess.run(build, check=True)

    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "workbench/__init__.py" in names
    assert any(name.startswith("workbench/_resources/sample/") for name in names)
    assert any(name.endswith("licenses/packaging/LICENSE") for name in names)
    strangers = {name for name in names if not name.startswith(("workbench/", "agent_tool_workbench-"))}
    assert strangers == set()
    assert [name for name in names if ".workbench" in name or "__pycache__" in name] == []
