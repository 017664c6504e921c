"""Sample data: arguments that a schema accepts, made up from what it says about each field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.app.inputs.sample_maker import LeftOut, SampleMaker
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, JsonObject, JsonValue, dump, parse
from workbench.domain.calls import ArgumentError
from workbench.domain.definitions import JsonSchema
from workbench.schema import CompiledSchema, compile_schema

__all__ = ["LeftOut", "Sample", "make_sample"]

_TURNS = 4
_ROUNDS = 24


@dataclass(frozen=True, slots=True)
class Sample:
    """Arguments as exact JSON text. With nothing in `left_out` the schema accepts them as they are."""

    arguments: str
    left_out: tuple[LeftOut, ...] = ()


def make_sample(schema: JsonSchema | None, *, every: bool = True) -> Sample:
    """Arguments for a schema: its own examples, defaults and choices where it has any, made-up values elsewhere.

    With `every` optional fields are filled, too; else only what is required. A required field that nothing was found
    for, such as one with an unusual pattern, is left out and told. Raises UserError when the schema is met by nothing
    that was tried.
    """
    compiled = compile_schema({} if schema is None else schema)
    root = parse(dump(compiled.schema))
    assert isinstance(root, dict)  # noqa: S101 – a clean schema is a mapping
    best: Sample | None = None
    for sample in _attempts(root, compiled, every=every):
        if best is None or len(sample.left_out) < len(best.left_out):
            best = sample
        if not sample.left_out:
            break
    if best is None:
        raise UserError(
            "No sample data was found that the schema accepts.",
            hint="Give the schema an example or a default, or fill in the form.",
        )
    return best


def _attempts(root: JsonObject, compiled: CompiledSchema, *, every: bool) -> Iterator[Sample]:
    """Samples that fit, each once: with what was asked for first, then with more or less, which may fit better."""
    tried: set[str] = set()
    for fills_all in (every, not every):
        for turn in range(_TURNS):
            maker = SampleMaker(root, every=fills_all, turn=turn)
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
    tokens = [token.replace("~1", "/").replace("~0", "~") for token in error.path.split("/")[1:]]
    if error.rule == "required":
        tokens = tokens[:-1]
    if not tokens:
        return False
    *way, last = tokens
    here: JsonValue = value
    for token in way:
        if isinstance(here, dict) and token in here:
            here = here[token]
        elif isinstance(here, list) and token.isdecimal() and int(token) < len(here):
            here = here[int(token)]
        else:
            return False
    if isinstance(here, dict) and last in here:
        del here[last]
        return True
    if isinstance(here, list) and last.isdecimal() and int(last) < len(here):
        del here[int(last)]
        return True
    return False


def complete(schema: JsonSchema | None, typed: str, sample: Sample) -> str:
    """The sample with what a person typed already in its place, where the schema accepts both together."""
    try:
        own, made = parse(typed), parse(sample.arguments)
    except JsonError:
        return sample.arguments
    if not isinstance(own, dict) or not isinstance(made, dict):
        return sample.arguments
    both = {**made, **own}
    left_out = {each.path for each in sample.left_out}
    errors = compile_schema({} if schema is None else schema).validate(both)
    return dump(both) if all(_is_known(error, left_out) for error in errors) else sample.arguments
