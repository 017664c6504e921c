"""Says of a value that fits no branch of a union what is wrong with it by the branch that was meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeAlias, cast

from jsonschema_rs import ValidationError
from jsonschema_rs import ValidationErrorKind as Kind

from workbench.domain.definitions import JsonSchema
from workbench.schema.keywords import Path, at
from workbench.schema.references import resolve
from workbench.schema.words import Problem, one_of, problems_of, type_of, types_in_words

Branch: TypeAlias = list[ValidationError]

_MAX_NESTING = 32
"""Unions inside of unions that are looked into; a recursive schema can nest them as deep as its value."""


def explain(errors: Iterable[ValidationError], schema: JsonSchema, nesting: int = 0) -> Iterator[Problem]:
    """Every problem behind the errors, each union told by its nearest branch."""
    for error in errors:
        kind = error.kind
        if isinstance(kind, Kind.AnyOf | Kind.OneOfNotValid):
            yield from _no_branch(error, kind.context, schema, nesting)
        elif isinstance(kind, Kind.OneOfMultipleValid):
            fitting = [index for index, branch in enumerate(kind.context) if not branch]
            names = _names(error, fitting, schema)
            yield Problem(
                tuple(error.instance_path),
                "oneOf",
                f"fits {' and '.join(names)}, but must fit exactly one of the alternatives.",
            )
        else:
            yield from problems_of(error, schema)


def _no_branch(
    error: ValidationError, branches: list[Branch], schema: JsonSchema, nesting: int
) -> Iterator[Problem]:
    path: Path = tuple(error.instance_path)
    rule = error.kind.name
    right_type = [index for index, branch in enumerate(branches) if not _wrong_type(branch, path)]
    if not right_type:
        types = dict.fromkeys(chain.from_iterable(_types(branch, path) for branch in branches))
        yield Problem(
            path, rule, f"must be {types_in_words(types)}, not {type_of(cast('object', error.instance))}."
        )
        return
    wrong_choice = _wrong_in_all([branches[index] for index in right_type], path)
    if wrong_choice is not None:
        where, values = wrong_choice
        yield Problem(where, rule, f"must be {one_of(values)}.")
        return
    meant = [index for index in right_type if not any(_tells_apart(each, path) for each in branches[index])]
    meant = _nearest(branches, meant or right_type if len(right_type) == 1 else meant, path)
    if len(meant) == 1 and nesting < _MAX_NESTING:
        yield from explain(branches[meant[0]], schema, nesting + 1)
        return
    choices = meant or right_type
    lacking = [_only_lacks(branches[index], path) for index in choices]
    if all(lacking):
        yield Problem(path, rule, f"must also have {', or '.join(' and '.join(names) for names in lacking)}.")
        return
    reasons = [
        f"{name}: {_summary(branches[index], path, schema)}"
        for name, index in zip(_names(error, choices, schema), choices, strict=True)
    ]
    yield Problem(path, rule, "fits none of the alternatives. " + " ".join(reasons))


def _wrong_type(branch: Branch, path: Path) -> bool:
    return any(isinstance(error.kind, Kind.Type) and tuple(error.instance_path) == path for error in branch)


def _types(branch: Branch, path: Path) -> Iterator[str]:
    for error in branch:
        if isinstance(kind := error.kind, Kind.Type) and tuple(error.instance_path) == path:
            yield from kind.types


def _allowed(error: ValidationError) -> list[object]:
    """The values that an error about a fixed choice would have taken."""
    kind = error.kind
    if isinstance(kind, Kind.Constant):
        return [cast("object", kind.expected_value)]
    return cast("list[object]", kind.options) if isinstance(kind, Kind.Enum) else []


def _tells_apart(error: ValidationError, path: Path) -> bool:
    """Whether the error says that another branch was meant: the one value that marks this branch is another."""
    return len(_allowed(error)) == 1 and len(error.instance_path) <= len(path) + 1


def _wrong_in_all(branches: list[Branch], path: Path) -> tuple[Path, list[object]] | None:
    """The one place, the value itself or a key of it, whose choice is wrong in every branch; all that are right."""
    if len(branches) < 2:
        return None
    choices = [
        {
            tuple(error.instance_path): _allowed(error)
            for error in branch
            if _allowed(error) and len(error.instance_path) <= len(path) + 1
        }
        for branch in branches
    ]
    common = set(choices[0]).intersection(*choices[1:])
    if len(common) != 1:
        return None
    place = common.pop()
    return place, [value for choice in choices for value in choice[place]]


def _nearest(branches: list[Branch], indices: list[int], path: Path) -> list[int]:
    """Of several branches the one that all keys of the value belong to, or the one that knows most of them."""
    for count in (_misfits, _unexpected):
        counts = {index: count(branches[index], path) for index in indices}
        least = [index for index in indices if counts[index] == min(counts.values())]
        if len(least) == 1 and (count is _unexpected or counts[least[0]] == 0):
            return least
    return indices


def _misfits(branch: Branch, path: Path) -> int:
    """Keys of the value itself that are missing or too many."""
    missing = sum(
        isinstance(each.kind, Kind.Required) and tuple(each.instance_path) == path for each in branch
    )
    return missing + _unexpected(branch, path)


def _unexpected(branch: Branch, path: Path) -> int:
    return sum(
        len(each.kind.unexpected)
        for each in branch
        if isinstance(each.kind, Kind.AdditionalProperties) and tuple(each.instance_path) == path
    )


def _only_lacks(branch: Branch, path: Path) -> list[str]:
    """The keys that a branch misses in the value, if it misses nothing else."""
    missing = [
        each.kind.property
        for each in branch
        if isinstance(each.kind, Kind.Required) and tuple(each.instance_path) == path
    ]
    return missing if len(missing) == len(branch) else []


def _summary(branch: Branch, path: Path, schema: JsonSchema) -> str:
    """The first things wrong with one branch, in one sentence."""
    problems = [
        problem
        for error in branch[:3]
        if not isinstance(error.kind, Kind.AnyOf | Kind.OneOfNotValid | Kind.OneOfMultipleValid)
        for problem in problems_of(error, schema)
    ]
    if not problems:
        return "its own alternatives do not fit."
    return " ".join(
        f"{'.'.join(map(str, problem.path[len(path) :])) or 'it'} {problem.words}" for problem in problems[:3]
    )


def _names(error: ValidationError, indices: list[int], schema: JsonSchema) -> list[str]:
    """What to call branches: their numbers counted from 1, with their titles or the keys that they require."""
    branches = at(schema, error.schema_path)
    names: list[str] = []
    for index in indices:
        branch = at(branches, [index])
        merged: JsonSchema = (
            resolve(cast("JsonSchema", branch), schema) if isinstance(branch, Mapping) else {}
        )
        title, required = merged.get("title"), merged.get("required")
        if not title and isinstance(required, list):
            title = "with " + ", ".join(map(str, cast("list[object]", required)))
        names.append(f"alternative {index + 1}" + (f" ({title})" if title else ""))
    return names
