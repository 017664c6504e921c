"""What marks a tool: what calling it does to the world, and what a dry run has to say in its stead (C9, C10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from workbench.domain.listing import Listing
from workbench.domain.tools import ToolDefinition
from workbench.domain.value import Value


class Badge(Value):
    """A word and what it means; `id` is `read`, `write`, `idempotent`, `predicate` or `stub`."""

    id: str
    word: str
    meaning: str


_EFFECTS: Mapping[str, Badge] = {
    badge.id: badge
    for badge in (
        Badge(
            id="read",
            word="read",
            meaning="It only reads: a dry run really runs it, and what fails for a moment is tried again.",
        ),
        Badge(
            id="write",
            word="write",
            meaning="It changes something: it is tried once, and a dry run answers in its stead.",
        ),
        Badge(
            id="idempotent",
            word="idempotent",
            meaning="It changes something, and the same again changes no more: what fails for a moment is tried again,"
            " and a dry run answers in its stead.",
        ),
        Badge(
            id="predicate",
            word="by input",
            meaning="Its input says whether it reads or changes something.",
        ),
    )
}
_STUB = Badge(id="stub", word="stub", meaning="In a dry run it answers with a result of its own.")


def badges_of(listings: Iterable[Listing]) -> Mapping[str, Sequence[Badge]]:
    """What marks each tool of a project, by its name."""
    return {one.name: badges(one.tool) for one in listings if one.tool is not None}


def badges(tool: ToolDefinition) -> tuple[Badge, ...]:
    """Its effect, and that a dry run has a result for it where it has one; what only reads needs none."""
    effect = _EFFECTS[tool.effect]
    has_stub = tool.dry_run != "acknowledgement" and tool.effect != "read"
    return (effect, _STUB) if has_stub else (effect,)
