"""What the navigator says of a definition, without a window."""

from __future__ import annotations

from workbench.domain.definitions import (
    DefinitionFile,
    DefinitionKind,
    Diagnostic,
    Dialect,
    Language,
    Severity,
)
from workbench.domain.listing import Listing
from workbench.gui.navigator.navigator_entries import entry_of

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
