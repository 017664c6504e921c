"""Sample data: arguments that a schema accepts, made up from what it says about each field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from workbench.app.inputs.sample_maker import LeftOut, SampleMaker
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, JsonObject, JsonValue, dump, parse
from workbench.base.json_pointer import look_up, tokens
from workbench.domain.calls import ArgumentError
from workbench.domain.definitions import JsonSchema
from workbench.schema import CompiledSchema, compile_schema

__all__ = ["LeftOut", "Sample", "make_sample"]

_TURNS = 4
_ROUNDS = 24
_MOST_TRIED = 100
"""Arguments that are tried one by one where not all that was typed goes with the sample."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Arguments as exact JSON text. With nothing in `left_out` the schema accepts them as they are."""

    arguments: str
    left_out: tuple[LeftOut, ...] = ()


def make_sample(schema: JsonSchema | None, *, every: bool = True, typed: str | None = None) -> Sample:
    """Arguments for a schema: its own examples, defaults and choices where it has any, made-up values elsewhere.

    With `every` optional fields are filled, too; else only what is required. What was `typed` (JSON text) chooses the
    branches of unions, and the sample is made around it where the schema accepts both together. A required field that
    nothing was found for, such as one with an unusual pattern, is left out and told. Raises UserError when the schema
    is met by nothing that was tried.
    """
    compiled = compile_schema({} if schema is None else schema)
    root = parse(dump(compiled.schema))
    assert isinstance(root, dict)  # noqa: S101 – a clean schema is a mapping
    own = _readable(typed)
    best: Sample | None = None
    for sample in _attempts(root, compiled, every=every, typed=own):
        if best is None or len(sample.left_out) < len(best.left_out):
            best = sample
        if not sample.left_out:
            break
    if best is None:
        raise UserError(
            "No sample data was found that the schema accepts.",
            hint="Give the schema an example or a default, or fill in the form.",
        )
    return best if own is None else _around(compiled, own, best)


def _readable(typed: str | None) -> JsonObject | None:
    try:
        own = parse(typed) if typed is not None else None
    except JsonError:
        return None
    return own if isinstance(own, dict) else None


def _attempts(
    root: JsonObject, compiled: CompiledSchema, *, every: bool, typed: JsonObject | None
) -> Iterator[Sample]:
    """Samples that fit, each once: with what was asked for first, then with more or less, which may fit better."""
    tried: set[str] = set()
    for fills_all in (every, not every):
        for turn in range(_TURNS):
            maker = SampleMaker(root, every=fills_all, turn=turn, typed=typed)
            made = maker.make()
            left_out = tuple(maker.left_out)
            if not isinstance(made, dict) or (text := dump(made)) in tried:
                continue
            tried.add(text)
            fitting = _pruned(made, compiled, {each.path for each in left_out})
            if fitting is not None:
                yield Sample(dump(fitting), left_out)


def _pruned(value: JsonObject, compiled: CompiledSchema, left_out: set[str]) -> JsonObject | None:
    """`value` without what the schema refuses, or None when that does not mend it.

    That a place is missing which nothing was found for is no fault here: the person fills it in.
    """
    for _ in range(_ROUNDS):
        errors = [error for error in compiled.validate(value) if not _is_known(error, left_out)]
        if not errors:
            return value
        removed = [_remove(value, error) for error in errors]
        if not any(removed):
            return None
    return None


def _is_known(error: ArgumentError, left_out: set[str]) -> bool:
    return error.rule == "required" and error.path in left_out


def _remove(value: JsonObject, error: ArgumentError) -> bool:
    """Take out what an error is about: the value itself, or the object that lacks something."""
    path = tokens(error.path)
    if error.rule == "required":
        path = path[:-1]
    if not path:
        return False
    *way, last = path
    try:
        here = look_up(value, way)
    except LookupError:
        return False
    if isinstance(here, dict) and last in here:
        del here[last]
        return True
    if isinstance(here, list) and last.isdecimal() and int(last) < len(here):
        del here[int(last)]
        return True
    return False


def _around(compiled: CompiledSchema, own: JsonObject, sample: Sample) -> Sample:
    """The sample with what was typed in its place: all of it, else each argument that the schema accepts with it."""
    made = parse(sample.arguments)
    assert isinstance(made, dict)  # noqa: S101 – samples are objects
    left_out = {each.path for each in sample.left_out}

    def fits(value: JsonObject) -> bool:
        return all(_is_known(error, left_out) for error in compiled.validate(value))

    whole = _merged(made, own)
    if not isinstance(whole, dict) or not fits(whole):
        whole = made
        for key in islice(own, _MOST_TRIED):
            both = {**whole, key: _merged(whole[key], own[key]) if key in whole else own[key]}
            whole = both if fits(both) else whole
    lacking = tuple(each for each in sample.left_out if not _has(whole, each.path))
    return Sample(dump(whole), lacking)


def _merged(made: JsonValue, own: JsonValue) -> JsonValue:
    """What was typed, with what it lacks taken from what was made."""
    if isinstance(made, dict) and isinstance(own, dict):
        return {**made, **{key: _merged(made[key], own[key]) if key in made else own[key] for key in own}}
    if isinstance(made, list) and isinstance(own, list):
        return [_merged(made[at], each) if at < len(made) else each for at, each in enumerate(own)]
    return own


def _has(value: JsonValue, path: str) -> bool:
    try:
        look_up(value, tokens(path))
    except LookupError:
        return False
    return True
