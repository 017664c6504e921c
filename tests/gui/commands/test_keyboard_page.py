"""The keyboard page of the help lists the commands that have keys, all of them and as they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from workbench.base.paths import resources_dir
from workbench.gui.commands.command_table import Target, command_table


class _Anything:
    """A window that can be asked for everything."""

    def __getattr__(self, name: str) -> Callable[..., str]:
        return lambda *_: name


def test_the_page_lists_every_command_that_has_keys() -> None:
    page = (resources_dir() / "help" / "keyboard.md").read_text("utf-8")
    listed = re.findall(r"^\| (\S+) \| (.+) \|$", page, re.MULTILINE)

    table = command_table(cast(Target, _Anything()))

    assert sorted(listed) == sorted((command.keys, command.title) for command in table if command.keys)
