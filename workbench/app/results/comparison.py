"""Two calls side by side, part by part: how they stood, what went in, what came out, what was printed, what ran."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.app.results.definition_then import DefinitionThen
from workbench.app.results.differences import COMPARED, Change, LinePair, TextDifference, compare_texts
from workbench.app.results.structures import compare_json
from workbench.base.exact_json import JsonError, parse
from workbench.domain.calls import Call


@dataclass(frozen=True, slots=True)
class Fact:
    """A line about a call. What `always_differs`, such as a time, is no difference."""

    name: str
    value: str
    always_differs: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two calls with what is known of it."""

    call: Call
    facts: Sequence[Fact]
    definition: DefinitionThen | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of both calls. `note` says in words what its pairs cannot show; no pairs when both have nothing."""

    title: str
    pairs: tuple[LinePair, ...]
    differences: int
    note: str = ""
    same: str = "the same"
    """What is said when nothing differs."""


def compare_calls(old: Side, new: Side) -> tuple[Part, ...]:
    """The parts of both, in the order they are read. Blocks for as long as comparing takes."""
    return (
        _facts(old.facts, new.facts),
        compare_part("Arguments", _arguments(old.call), _arguments(new.call)),
        compare_part("Result", _result(old.call), _result(new.call)),
        compare_part("Log", old.call.log, new.call.log),
        _definition(old.definition, new.definition),
    )


def compare_exactly(old: str, new: str) -> TextDifference:
    """Two texts by their structure when both are JSON, else line by line."""
    if max(len(old), len(new)) <= COMPARED and _may_be_json(old) and _may_be_json(new):
        try:
            return compare_json(parse(old), parse(new))
        except (JsonError, RecursionError):
            pass
    return compare_texts(old, new)


def _may_be_json(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _facts(old: Sequence[Fact], new: Sequence[Fact]) -> Part:
    pairs: list[LinePair] = []
    differences = 0
    for at, (was, now) in enumerate(zip(old, new, strict=True), 1):
        differs = was.value != now.value and not was.always_differs
        differences += differs
        before, after = f"{was.name}: {was.value}", f"{now.name}: {now.value}"
        lead = len(was.name) + 2
        marks = (((lead, len(before)),), ((lead, len(after)),)) if differs else ((), ())
        change = Change.CHANGED if differs else Change.SAME
        pairs.append(LinePair(change, at, before, at, after, *marks))
    return Part("How it went", tuple(pairs), differences, same="the same but for the times")


def compare_part(title: str, old: str, new: str) -> Part:
    """One part of two things that are compared. Blocks for as long as comparing takes."""
    found = compare_exactly(old, new)
    return Part(title, found.pairs, max(found.added, found.removed), found.note)


def _arguments(call: Call) -> str:
    return call.arguments_run or call.arguments


def _result(call: Call) -> str:
    result = call.result
    if result is None:
        return ""
    failure = result.failure
    if failure is not None:
        return "\n".join(part for part in (f"{failure.kind}: {failure.message}", failure.stack) if part)
    return result.json_text if result.json_text is not None else result.text


def _definition(old: DefinitionThen | None, new: DefinitionThen | None) -> Part:
    if old is None or new is None:
        missing = "Neither call" if old is new else "One of the two calls"
        return Part("Definition", (), 0, f"{missing} has a definition that was kept.")
    if old.version == new.version:
        return Part("Definition", (), 0, "Both ran with the same definition.")
    part = compare_part("Definition", old.source, new.source)
    if part.differences:
        return part
    schema = compare_part("Definition", old.schema, new.schema)
    return Part(
        schema.title, schema.pairs, schema.differences, "The source is the same; the schema is another."
    )
