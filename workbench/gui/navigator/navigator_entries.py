"""The rows of the navigator: groups, definitions and documents, what is wrong with them, threads."""

from __future__ import annotations

import time
from dataclasses import dataclass

from workbench.app.calls.badges import Badge, badges
from workbench.app.threads.thread_tree import ThreadLine
from workbench.domain.definitions import Diagnostic, Severity
from workbench.domain.listing import Listing
from workbench.gui.style.definition_icons import LANGUAGES
from workbench.gui.style.marks import Mark
from workbench.gui.thread.thread_words import Standing, age, standing, title_of

CONNECTION = "connection:"
"""Keys of connections begin with this."""
PAD = "pad:"
"""Keys of code pads begin with this."""

MORE_THREADS, START_THREAD = "more-threads", "start-thread"


@dataclass(frozen=True, slots=True)
class Group:
    key: str
    title: str
    count: int
    errors: int
    is_open: bool
    is_cut: bool = False
    """There are more than `count`."""

    @property
    def amount(self) -> str:
        return f"{self.count:,}{'+' if self.is_cut else ''}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A definition, or one of the project's documents. `failed` entries gave no definition, `loading` ones none yet."""

    key: str
    name: str
    icon: str
    description: str = ""
    failed: bool = False
    loading: bool = False
    is_document: bool = False
    warnings: int = 0
    missing: tuple[str, ...] = ()
    needs_approval: bool = False
    asked_by_rule: bool = False
    badges: tuple[Badge, ...] = ()
    count: int | None = None
    mark: Mark | None = None
    """How a connection stands."""
    state: str = ""

    def words(self) -> str:
        said = [self.name]
        if self.state:
            said.append(self.state.lower())
        if self.failed:
            said.append("not loaded")
        if self.loading:
            said.append("being loaded")
        if self.warnings:
            said.append(f"{self.warnings} warnings")
        if self.missing:
            said.append(f"missing {', '.join(self.missing)}")
        if self.needs_approval:
            said.append("asks for approval")
        if self.asked_by_rule:
            said.append("a rule of yours asks before it runs")
        said += [badge.word for badge in self.badges]
        return ", ".join(said)


@dataclass(frozen=True, slots=True)
class Reason:
    """What is wrong, with the place to mend it: why the entry above did not load, or something of the project."""

    key: str
    diagnostic: Diagnostic
    of_project: bool = False

    def words(self) -> str:
        if self.of_project:
            return self.diagnostic.message
        where = f"line {self.diagnostic.line}: " if self.diagnostic.line else ""
        return where + self.diagnostic.message


@dataclass(frozen=True, slots=True)
class ThreadEntry:
    """A thread, under its parent when that is open."""

    key: str
    line: ThreadLine
    asks: bool = False
    """It waits for the person who is its model."""

    @property
    def title(self) -> str:
        thread = self.line.thread
        return title_of(thread.name or (thread.relationship or ""), thread.words, thread.agent)

    @property
    def id_end(self) -> str:
        """What tells forks and replays of one thread apart."""
        return self.line.thread.id[-6:]

    @property
    def standing(self) -> Standing:
        thread = self.line.thread
        is_new = thread.updated_at == thread.created_at and thread.forked_from is None
        return standing(thread, is_new=is_new, waits=thread.waits, asks=self.asks, below=thread.waits_below)

    def words(self) -> str:
        thread = self.line.thread
        since = age(thread.updated_at, time.time_ns() // 1_000)
        said = [self.title, thread.agent, self.standing.words, since]
        if thread.forked_from is not None:
            said.append(f"{'a replay' if thread.is_replay else 'a fork'}, {self.id_end}")
        if thread.children:
            said.append(f"{thread.children:,} below it, {'shown' if self.line.is_open else 'hidden'}")
        return ", ".join(said)


@dataclass(frozen=True, slots=True)
class More:
    """At the end of a list that goes on, or in the place of one that is empty. `wants` says what opening it does."""

    key: str
    text: str
    wants: str

    def words(self) -> str:
        return self.text


Row = Group | Entry | Reason | ThreadEntry | More


def entry_of(listing: Listing, missing: tuple[str, ...] = (), *, asked_by_rule: bool = False) -> Entry:
    definition = listing.tool
    icon = LANGUAGES[listing.file.language]
    if definition is not None and definition.execution_mode == "provider":
        icon = "cloud"
    return Entry(
        key=f"{listing.file.kind}:{listing.file.path}",
        name=listing.name,
        icon=icon,
        description=listing.description,
        failed=listing.definition is None and bool(listing.diagnostics),
        loading=listing.definition is None and not listing.diagnostics,
        warnings=sum(d.severity is Severity.WARNING for d in listing.diagnostics),
        missing=missing,
        needs_approval=bool(definition and definition.needs_approval),
        asked_by_rule=definition is not None and asked_by_rule,
        badges=badges(definition) if definition is not None else (),
    )
