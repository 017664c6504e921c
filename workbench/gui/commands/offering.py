"""What a document can be asked for by commands: what it offers, keeps, runs and saves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from PySide6.QtCore import SignalInstance


class OfferedCommand(NamedTuple):
    """A row of the table of commands that the document in front does if it offers it; else `needs` says what to do."""

    id: str
    title: str
    keys: str
    needs: str
    icon: str = ""


@runtime_checkable
class Offering(Protocol):
    """A document that does some of what commands ask for."""

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What it does now, by the id of the command."""
        ...


@runtime_checkable
class Keeping(Protocol):
    """A document that things are typed into."""

    def keep_now(self) -> None:
        """Keep at once what is typed and neither run nor saved."""
        ...


@runtime_checkable
class Runnable(Protocol):
    """A document that runs what is typed into it."""

    def run(self) -> None: ...

    def why_not(self) -> str:
        """Why it cannot run now, "" when it can."""
        ...

    def next_problem(self) -> None: ...


@runtime_checkable
class Saving(Protocol):
    """A document with text that is saved or not."""

    @property
    def unsaved(self) -> bool: ...

    @property
    def unsaved_changed(self) -> SignalInstance:
        """Tells (nothing more than) that `unsaved` may be another."""
        ...


def do_offered(document: Offering, what: str) -> None:
    """Do what a command asks for if it can be done now: what a button does that stands for the same."""
    way = document.offers().get(what)
    if way is not None:
        way()
