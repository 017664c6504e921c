"""The command line as a whole: what opens, what is misspelled, what an error says, how fast help comes."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from workbench import __main__
from workbench.base.errors import RunError
from workbench.cli import main
from workbench.cli.session import Exit
from workbench.project.recent import RecentProjects

pytestmark = pytest.mark.of_sample("pack_boxes")


class Window:
    """Stands where the window would open."""

    def __init__(self, error: Exception | None = None) -> None:
        self.opened: list[Path] = []
        self.error = error

    def __call__(self, project: Path) -> int:
        self.opened.append(project)
        if self.error is not None:
            raise self.error
        return 0


def test_a_first_word_that_is_a_folder_opens_the_window_on_it(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    window = Window()

    assert main.run(window, [str(sample)]) == 0
    assert window.opened == [sample]
    assert str(sample) in capsys.readouterr().err, "it takes a moment, so it is said"


@pytest.mark.rule("V6")
def test_a_crash_of_ours_leaves_no_image_of_memory_on_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    before = resource.getrlimit(resource.RLIMIT_CORE)

    def run(open_window: Callable[[Path], int]) -> int:
        del open_window
        return resource.getrlimit(resource.RLIMIT_CORE)[0]

    monkeypatch.setattr(__main__, "run", run)
    monkeypatch.setattr("gc.set_threshold", print)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    try:
        with pytest.raises(SystemExit) as ended:
            __main__.main()
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)

    assert ended.value.code == 0


def test_without_a_word_the_project_of_the_current_folder_opens(
    sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Window()
    monkeypatch.chdir(sample / "agents" / "tools")

    assert main.run(window, []) == 0
    assert window.opened == [sample]


def test_where_no_project_is_a_copy_of_the_sample_opens_and_keeps_its_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Window()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    main.run(window, [])
    (opened,) = window.opened
    (opened / "agents/tools/mine.py").write_text("")
    main.run(window, [])

    assert opened.is_relative_to(tmp_path / "data")
    assert (opened / "workbench.toml").is_file()
    assert (opened / "agents/tools/mine.py").is_file()


def test_where_no_project_is_the_one_that_was_open_last_opens_and_the_sample_only_on_request(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Window()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    RecentProjects().remember(sample, "parcel-desk")

    main.run(window, [])
    main.run(window, ["open", "--sample"])
    sample.rename(tmp_path / "moved")
    main.run(window, [])

    own = tmp_path / "data" / "workbench" / "sample"
    assert window.opened == [sample, own, own]


def test_without_a_display_the_way_to_go_on_is_named(
    sample: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    window = Window()

    assert main.run(window, [str(sample)]) == Exit.USAGE
    assert window.opened == []
    assert "workbench demo" in capsys.readouterr().err


def test_a_misspelled_command_is_met_with_the_nearest_one(cli: Cli) -> None:
    ended = cli("chek")

    assert ended.code == 2
    assert "Did you mean `check`?" in ended.err


def test_outside_of_a_project_the_message_says_how_to_begin_one_and_how_to_name_one(
    cli: Cli, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()

    ended = cli("tool", "list", cwd=outside)

    assert (ended.code, ended.out) == (2, "")
    assert f"{outside} is not in a project" in ended.err
    assert "new tool NAME" in ended.err
    assert "--project DIR" in ended.err
    assert "Traceback" not in ended.err


def test_a_project_is_found_from_a_folder_inside_it(cli: Cli, sample: Path, tmp_path: Path) -> None:
    names = [row["name"] for row in cli("tool", "list", "--json").json]

    inside = cli("tool", "list", "--json", cwd=sample / "bot" / "tools")
    named = cli("tool", "list", "--json", "--project", str(sample), cwd=tmp_path)

    assert [row["name"] for row in inside.json] == [row["name"] for row in named.json] == names


def test_trouble_of_our_own_is_told_as_such_and_its_details_on_request(
    sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    window = Window(ZeroDivisionError("by zero"))

    assert main.run(window, [str(sample)]) == Exit.BUG
    brief = capsys.readouterr().err
    assert main.run(window, ["open", str(sample), "--verbose"]) == Exit.BUG
    whole = capsys.readouterr().err

    assert "ZeroDivisionError" in brief
    assert "Traceback" not in brief
    assert "Traceback" in whole


def test_something_that_is_not_available_ends_with_4(sample: Path) -> None:
    assert main.run(Window(RunError("The store is busy.")), [str(sample)]) == Exit.UNAVAILABLE


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_come_without_loading_what_calls_need(option: str) -> None:
    program = f"""
import sys
from workbench.cli.main import run
assert run(lambda project: 0, [{option!r}]) == 0
heavy = {{"pydantic", "rich", "sqlite3", "keyring", "PySide6", "workbench.app"}} & sys.modules.keys()
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=100)


def test_a_reader_that_goes_away_early_is_no_error(sample: Path) -> None:
    """As `workbench tool list | head -0` does."""
    with subprocess.Popen(
        [sys.executable, "-m", "workbench", "tool", "list"],
        cwd=sample,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.rule("H2")
@pytest.mark.parametrize(
    "words",
    [
        "tool show nobody",
        "tool call nobody",
        "tool call pack_boxes --session nobody",
        "call show nobody",
        "thread show nobody",
        "thread script nobody",
        "thread start nobody",
        "effect run nobody",
        "connection show nobody",
        "var unset NOBODY",
    ],
)
def test_what_is_not_there_ends_a_command_with_3(cli: Cli, words: str) -> None:
    ended = cli(*words.split())

    assert ended.code == 3
    assert "NOBODY" in ended.err.upper()
