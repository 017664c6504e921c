"""The set-up says what is wrong in words, does its work once, and takes up again what was interrupted."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from workbench.sandbox import Resources, SandboxUnavailable


@pytest.fixture
def checkout(scripts: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of three small files, in which nothing is installed for real."""
    for name in ("pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        (tmp_path / name).write_text("one==1\n", "utf-8")
    (tmp_path / ".venv").mkdir()
    monkeypatch.setattr(scripts, "ROOT", tmp_path)
    monkeypatch.setattr(scripts, "RUNTIME_LOCK", tmp_path / "requirements.lock")
    monkeypatch.setattr(scripts, "DEV_LOCK", tmp_path / "requirements-dev.lock")
    monkeypatch.setattr(scripts, "_STAMP", tmp_path / ".venv" / "installed.stamp")
    return tmp_path


@pytest.fixture
def ran(scripts: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would have been run, by its purpose."""
    purposes: list[str] = []

    def run(_: list[str], what: str) -> None:
        purposes.append(what)

    monkeypatch.setattr(scripts, "_run", run)
    monkeypatch.setattr(scripts, "_check_qt", lambda: None)
    return purposes


def test_an_interpreter_that_is_too_old_is_told_which_ones_work(
    scripts: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.version_info", (3, 10, 13, "final", 0))

    with pytest.raises(scripts.UserFacingError, match=r"Python 3\.10.*3\.11, 3\.12 or 3\.13"):
        scripts.check_python()


def test_a_second_run_installs_nothing(scripts: ModuleType, checkout: Path, ran: list[str]) -> None:
    scripts.prepare(dev=False)
    assert ran
    ran.clear()

    scripts.prepare(dev=False)

    assert ran == []


def test_what_the_tests_need_serves_the_program_too_but_not_the_other_way(
    scripts: ModuleType, checkout: Path, ran: list[str]
) -> None:
    scripts.prepare(dev=False)
    ran.clear()
    scripts.prepare(dev=True)
    assert "installing the packages" in ran
    ran.clear()

    scripts.prepare(dev=False)

    assert ran == []


@pytest.mark.parametrize("changed", ["pyproject.toml", "requirements.lock"])
def test_a_changed_file_is_installed_anew(
    scripts: ModuleType, checkout: Path, ran: list[str], changed: str
) -> None:
    scripts.prepare(dev=False)
    ran.clear()
    (checkout / changed).write_text("one==2\n", "utf-8")

    scripts.prepare(dev=False)

    assert "installing the packages" in ran


def test_an_interrupted_installation_is_taken_up_again(
    scripts: ModuleType, checkout: Path, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    scripts.prepare(dev=False)
    (checkout / "requirements.lock").write_text("one==2\n", "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(scripts, "_install_workbench", interrupted)
        with pytest.raises(KeyboardInterrupt):
            scripts.prepare(dev=False)
    (checkout / "requirements.lock").write_text("one==1\n", "utf-8")  # even back at what was there before
    ran.clear()

    scripts.prepare(dev=False)

    assert "installing the packages" in ran


def test_a_failing_program_is_shown_with_all_it_said(scripts: ModuleType) -> None:
    with pytest.raises(scripts.UserFacingError, match=r"listing failed:\n.*no-such-folder"):
        scripts._run(["ls", "/no-such-folder"], "listing")


def test_what_takes_long_is_said_to_go_on(
    scripts: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts, "STILL_SECONDS", 0.02)

    scripts._run(["sleep", "0.3"], "sleeping")

    assert "… still sleeping, for 0 s" in capsys.readouterr().out


def test_what_does_not_load_is_named_in_one_line_to_paste(
    scripts: ModuleType, system_packages: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_packages, "can_install", lambda: False)

    with pytest.raises(scripts.UserFacingError) as told:
        scripts.require_system({"libc.so.6": "libc6", "libnowhere.so.7": "libnowhere7"})

    last = str(told.value).splitlines()[-1]
    assert last.startswith("sudo apt-get update && sudo apt-get install")
    assert last.endswith(" libnowhere7")


def test_what_is_missing_is_installed_where_that_is_possible(
    scripts: ModuleType, system_packages: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: list[str] = []

    def install(packages: list[str]) -> bool:
        installed.extend(packages)
        return True

    monkeypatch.setattr(system_packages, "can_install", lambda: True)
    monkeypatch.setattr(system_packages, "install", install)

    scripts.require_system({"libnowhere.so.7": "libnowhere7"})

    assert installed == ["libnowhere7"]


def test_apt_that_fails_is_heard(
    system_packages: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fake = tmp_path / "apt-get"
    fake.write_text("#!/bin/sh\necho no package of that name\nexit 100\n", "utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    assert not system_packages.install(["libnowhere7"])
    assert "no package of that name" in capsys.readouterr().err


def test_a_sandbox_that_cannot_be_built_stops_only_what_needs_it(
    scripts: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    build = checkout / "packaging" / "sandbox" / "build.py"
    build.parent.mkdir(parents=True)
    build.write_text("import sys; sys.exit('no network')", "utf-8")
    monkeypatch.setattr(scripts, "PYTHON", sys.executable)

    scripts.prepare_sandbox(required=False)
    told = capfd.readouterr()

    assert "no network" in told.err
    assert "workbench doctor" in told.out
    with pytest.raises(scripts.UserFacingError, match="could not be built"):
        scripts.prepare_sandbox(required=True)


def test_a_first_sandbox_is_built_beside_what_comes_next_and_is_known_to_be(
    scripts: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    build = checkout / "packaging" / "sandbox" / "build.py"
    build.parent.mkdir(parents=True)
    build.write_text("import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)", "utf-8")
    monkeypatch.chdir(checkout)
    monkeypatch.setattr(scripts, "PYTHON", sys.executable)
    monkeypatch.setattr(scripts, "SANDBOX", checkout / "resources" / "sandbox")

    building = scripts.begin_sandbox()

    assert building is not None
    with pytest.raises(SandboxUnavailable, match="is being built"):
        Resources.find(checkout / "resources" / "sandbox")
    (checkout / "go").write_text("")
    assert building.wait(30) == 0
    with pytest.raises(SandboxUnavailable, match="is not built"):
        Resources.find(checkout / "resources" / "sandbox")
    assert "beside the window" in capfd.readouterr().out

    scripts.SANDBOX.mkdir(parents=True)
    build.write_text("", "utf-8")
    assert scripts.begin_sandbox() is None, "an older one is built anew before the window opens"
