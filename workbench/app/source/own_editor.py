"""Opening a file at a line in the editor that a person uses anyway."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from workbench.base.errors import UserError

WATCHED_SECONDS = 1.5
"""How long a started editor is watched for a failure; after that it is on its own."""
_FOUND = Callable[[str], str | None]

_AT_LINE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("code", "code-insiders", "codium", "cursor", "windsurf"), ("--goto", "{file}:{line}")),
    **dict.fromkeys(("subl", "sublime_text", "zed", "zeditor", "atom", "hx", "helix"), ("{file}:{line}",)),
    **dict.fromkeys(
        ("idea", "pycharm", "webstorm", "charm", "kate", "kwrite"), ("--line", "{line}", "{file}")
    ),
    **dict.fromkeys(
        ("vim", "vi", "nvim", "gvim", "nano", "micro", "kak", "emacs", "emacsclient", "gedit"),
        ("+{line}", "{file}"),
    ),
    "gnome-text-editor": ("+{line}", "{file}"),
    "geany": ("--line", "{line}", "{file}"),
    "mousepad": ("--line={line}", "{file}"),
}
_IN_TERMINAL = frozenset(
    {"vim", "vi", "nvim", "nano", "micro", "kak", "hx", "helix", "ed", "joe", "mcedit", "ne"}
)
_TERMINALS: dict[str, tuple[str, ...]] = {
    "x-terminal-emulator": ("-e",),
    "gnome-terminal": ("--",),
    "konsole": ("-e",),
    "xfce4-terminal": ("-x",),
    "kitty": (),
    "foot": (),
    "alacritty": ("-e",),
    "wezterm": ("start", "--"),
    "xterm": ("-e",),
}
_DESKTOP = ("xdg-open", "gio open")


class Launch(NamedTuple):
    """What is started, and how it is called in words."""

    command: tuple[str, ...]
    name: str


def editor_launch(
    file: Path,
    line: int | None = None,
    *,
    chosen: str = "",
    environment: Mapping[str, str],
    found: _FOUND = shutil.which,
) -> Launch:
    """How to open a file: the chosen editor, else that of $VISUAL or $EDITOR, else what the desktop opens it with.

    `chosen` is a command as in a shell; it may hold {file} and {line}. `found` says where a program is. Raises
    UserError when there is none that can be started.
    """
    for source, text in (
        ("The editor in the settings", chosen),
        ("$VISUAL", environment.get("VISUAL", "")),
        ("$EDITOR", environment.get("EDITOR", "")),
    ):
        if text.strip():
            words = _words(source, text, found)
            name = Path(words[0]).name
            words = _with_file(words, name, file, line)
            in_terminal = name in _IN_TERMINAL or (name.startswith("emacs") and {"-nw", "-t"} & set(words))
            return Launch(
                (*_terminal(name, environment, found), *words) if in_terminal else tuple(words), name
            )
    for text in _DESKTOP:
        words = text.split()
        if found(words[0]):
            return Launch((*words, str(file)), words[0])
    raise UserError(
        "There is no editor to open the file with.", hint="Set $VISUAL, or an editor in the settings."
    )


def _words(source: str, text: str, found: _FOUND) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"{source} is no command: {text} ({error}).") from error
    if not found(words[0]):
        raise UserError(f"{source} names {words[0]}, which is not installed.", hint="Choose another editor.")
    return words


def _with_file(words: list[str], name: str, file: Path, line: int | None) -> list[str]:
    if any("{file}" in word for word in words):
        return [_filled(word, file, line) for word in words]
    form = _AT_LINE.get(name, ("{file}",)) if line else ("{file}",)
    return [*words, *(_filled(word, file, line) for word in form)]


def _filled(word: str, file: Path, line: int | None) -> str:
    return word.replace("{file}", str(file)).replace("{line}", str(line or 1))


def _terminal(editor: str, environment: Mapping[str, str], found: _FOUND) -> tuple[str, ...]:
    """The words that run a command in a terminal of its own."""
    own = environment.get("TERMINAL", "")
    for name in (own, *_TERMINALS):
        if name and found(name):
            return (name, *_TERMINALS.get(Path(name).name, ("-e",)))
    raise UserError(
        f"{editor} needs a terminal, and none was found.", hint="Set $TERMINAL, or choose another editor."
    )


def start_editor(launch: Launch) -> None:
    """Start an editor and leave it alone; blocks for as long as a failure is watched for.

    Raises UserError when it cannot be started, or ends at once with an error.
    """
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(
                launch.command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
        except OSError as error:
            raise UserError(f"{launch.name} cannot be started: {error.strerror}.") from error
        try:
            code = process.wait(WATCHED_SECONDS)
        except subprocess.TimeoutExpired:
            threading.Thread(
                target=process.wait, name="editor", daemon=True
            ).start()  # it lies dead until waited for
            return
        if code:
            said.seek(0)
            words = said.read(4096).decode("utf-8", "replace").strip()
            raise UserError(
                f"{launch.name} ended with code {code}.",
                hint=words.splitlines()[-1] if words else "Try the command in a terminal.",
                detail=f"{shlex.join(launch.command)}\n{words}",
            )
