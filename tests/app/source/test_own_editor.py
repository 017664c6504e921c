"""The editor that a person uses anyway opens the file at its line, or says why it cannot."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.app.source.own_editor import Launch, editor_launch, start_editor
from workbench.base.errors import UserError

FILE = Path("/home/ada/desk/echo.py")


def there(*names: str) -> Callable[[str], str | None]:
    return lambda name: f"/usr/bin/{name}" if name in names else None


@pytest.mark.parametrize(
    ("chosen", "environment", "line", "command"),
    [
        ("", {"EDITOR": "code --wait"}, 7, "code --wait --goto {file}:7"),
        ("", {"VISUAL": "subl", "EDITOR": "vim"}, 7, "subl {file}:7"),
        ("idea", {"EDITOR": "vim"}, 7, "idea --line 7 {file}"),
        ("", {"EDITOR": "vim", "TERMINAL": "xterm"}, 7, "xterm -e vim +7 {file}"),
        ("", {"EDITOR": "vim", "TERMINAL": "gone"}, None, "kitty vim {file}"),
        ("", {"EDITOR": "emacs"}, 7, "emacs +7 {file}"),
        ("", {"EDITOR": "emacs -nw"}, 7, "kitty emacs -nw +7 {file}"),
        ("mine --at {line} -- {file}", {}, 7, "mine --at 7 -- {file}"),
        ("mine", {}, 7, "mine {file}"),
        ("", {}, 7, "xdg-open {file}"),
    ],
)
def test_an_editor_is_started_as_it_wants_to_be(
    chosen: str, environment: dict[str, str], line: int | None, command: str
) -> None:
    found = there("code", "subl", "idea", "vim", "emacs", "mine", "xterm", "kitty", "xdg-open")
    launch = editor_launch(FILE, line, chosen=chosen, environment=environment, found=found)
    assert " ".join(launch.command) == command.replace("{file}", str(FILE))


@pytest.mark.parametrize(
    ("environment", "installed", "words"),
    [
        ({"EDITOR": "vim"}, ("vim",), "vim needs a terminal"),
        ({"EDITOR": "gone"}, (), r"\$EDITOR names gone, which is not installed"),
        ({"VISUAL": "a 'b"}, (), r"\$VISUAL is no command"),
        ({}, (), "There is no editor"),
    ],
)
def test_what_cannot_be_started_is_said_in_words(
    environment: dict[str, str], installed: tuple[str, ...], words: str
) -> None:
    with pytest.raises(UserError, match=words) as raised:
        editor_launch(FILE, 1, environment=environment, found=there(*installed))
    assert raised.value.hint or "is no command" in raised.value.message


def python(source: str) -> Launch:
    return Launch((sys.executable, "-c", source), "python")


def test_an_editor_that_fails_at_once_is_told_with_its_last_words() -> None:
    with pytest.raises(UserError, match="ended with code 3") as raised:
        start_editor(python("import sys; print('no display', file=sys.stderr); sys.exit(3)"))
    assert raised.value.hint == "no display"
    with pytest.raises(UserError, match="cannot be started: No such file"):
        start_editor(Launch(("/nowhere/editor",), "editor"))


def test_an_editor_that_hands_the_file_on_and_leaves_is_no_failure() -> None:
    start_editor(python("pass"))


def test_an_editor_that_stays_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("workbench.app.source.own_editor.WATCHED_SECONDS", 0.05)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    start_editor(python(f"open({str(pipe)!r}).read()"))
    pipe.write_text("it reads, so it still runs")
