"""The keyboard page of the help lists the commands that have keys, all of them and as they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from workbench.base.paths import resources_dir
from workbench.gui.window.command_table import Target, command_table


class _Anything:
    """A window that can be asked for everything."""

    def __getattr__(self, name: str) -> Callable[..., str]:
        return lambda *_: name


def test_the_page_lists_every_command_that_has_keys() -> None:
    page = (resources_dir() / "help" / "keyboard.md").read_text("utf-8")
    listed = re.findall(r"^\| (\S+) \| (.+) \|$", page, re.MULTILINE)

    table = command_table(cast(Target, _Anything()))

    assert sorted(listed) == sorted((command.keys, command.title) for command in table if command.keys)


class _Nothing(_Anything):
    """A window in which no document is open."""

    def document_offers(self, what: str) -> bool:
        return False


def test_a_command_that_no_document_offers_says_what_to_do_or_what_is_not_there() -> None:
    table = command_table(cast(Target, _Nothing()))
    reasons = {command.title: command.why_not() for command in table if "_" not in command.why_not()}
    first = {title: reason.split()[0] for title, reason in reasons.items() if reason}
    assert {title: word for title, word in first.items() if word not in _BEGINNINGS} == {}


_BEGINNINGS = ("open", "choose", "write", "no", "nothing")
