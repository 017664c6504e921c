"""A definition in the raw form that all hosts share (see `workbench.engine.ports.ToolHost`): as written, not judged."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from workbench.authoring.definition import Definition
from workbench.worker.exact_json import is_plain
from workbench.worker.schemas import FIELDS, captured

_DEEPEST = 100

_MOST_ARGUMENTS = 3
"""Nothing is called with more: the state and what a hook gets."""


def described(definition: Definition, dialect: str) -> dict[str, Any]:
    schemas = FIELDS.get(definition.kind, {})
    fields = {
        _camel_case(name): _field(value)
        for name, value in definition.fields.items()
        if name not in schemas and name != "execute"
    }
    return {
        "kind": definition.kind,
        "line": definition.line,
        "fields": fields,
        "schemas": captured(definition, dialect),
        "execute": _execute(definition.execute) if definition.execute is not None else None,
    }


def is_async(function: Callable[..., Any]) -> bool:
    call: Any = getattr(type(function), "__call__", None)  # noqa: B004  (an object whose __call__ is async)
    return inspect.iscoroutinefunction(inspect.unwrap(function)) or inspect.iscoroutinefunction(call)


def positional_count(function: Callable[..., Any]) -> int:
    """How many positional arguments the function takes; all for one whose signature cannot be told."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return _MOST_ARGUMENTS
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return _MOST_ARGUMENTS
    return sum(
        parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        for parameter in parameters
    )


def _execute(execute: Any) -> dict[str, Any]:
    if not callable(execute):
        return {"$notJson": type(execute).__name__}
    code: Any = getattr(inspect.unwrap(execute), "__code__", None)
    return {
        "async": is_async(execute),
        "parameters": positional_count(execute),
        "line": code.co_firstlineno if code is not None else None,
    }


def _field(value: Any) -> Any:
    try:
        return _written(value)
    except RecursionError:
        return {"$notJson": type(value).__name__}


def _written(value: Any, depth: int = 0) -> Any:
    """The value as JSON; a function or anything else that is none is a marker in its place.

    Raises RecursionError for a value that contains itself, or might as well.
    """
    if depth > _DEEPEST:
        raise RecursionError
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {_camel_case(name): _written(item, depth + 1) for name, item in vars(value).items()}
    if isinstance(value, Mapping):
        mapping = cast("Mapping[Any, Any]", value)
        if all(isinstance(key, str) and is_plain(key) for key in mapping):
            return {key: _written(item, depth + 1) for key, item in mapping.items()}
    elif isinstance(value, (list, tuple)):
        return [_written(item, depth + 1) for item in cast("Sequence[Any]", value)]
    elif callable(value):
        return {"$function": True}
    elif is_plain(value):
        return value
    return {"$notJson": type(cast("object", value)).__name__}


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
