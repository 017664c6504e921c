"""What the navigator says of a definition, without a window."""

from __future__ import annotations

from workbench.app.threads.thread_tree import ThreadLine
from workbench.base.ids import ThreadId
from workbench.domain.definitions import (
    DefinitionFile,
    DefinitionKind,
    Diagnostic,
    Dialect,
    Language,
    Severity,
)
from workbench.domain.listing import Listing
from workbench.domain.pages import ThreadSummary
from workbench.domain.threads import ForkedFrom, ThreadStatus
from workbench.gui.navigator.navigator_entries import ThreadEntry, entry_of

FILE = DefinitionFile(
    path="agents/tools/greet.ts",
    kind=DefinitionKind.TOOL,
    dialect=Dialect.STANDARD_AGENTS,
    language=Language.TYPESCRIPT,
    name="greet",
    digest="",
)


def test_a_definition_that_was_not_looked_at_yet_is_no_failure() -> None:
    entry = entry_of(Listing(name="greet", file=FILE))
    assert not entry.failed
    assert entry.words() == "greet, being loaded"


def test_a_definition_that_gave_nothing_is_one() -> None:
    problem = Diagnostic(code="syntax", severity=Severity.ERROR, path=FILE.path, message="Unexpected end.")
    entry = entry_of(Listing(name="greet", file=FILE, diagnostics=(problem,)))
    assert entry.words() == "greet, not loaded"


def test_forks_of_one_thread_are_told_apart_by_the_ends_of_their_ids() -> None:
    fork = ThreadSummary(
        id=ThreadId("0-c40e82"),
        agent="front",
        status=ThreadStatus.IDLE,
        created_at=1,
        updated_at=1,
        forked_from=ForkedFrom(thread_id=ThreadId("0-000000")),
    )
    replay = fork.model_copy(update={"id": ThreadId("0-d51f93"), "is_replay": True})
    said = [ThreadEntry("", ThreadLine(thread)).words() for thread in (fork, replay)]
    assert [words.split(", ")[-2:] for words in said] == [["a fork", "c40e82"], ["a replay", "d51f93"]]
