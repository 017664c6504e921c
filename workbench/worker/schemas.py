"""Schemas as authors give them: a pydantic model, a plain mapping, or an annotation; and arguments parsed by them.

pydantic is never imported from here: a model is what has its methods.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from workbench.authoring.definition import Definition
from workbench.worker.exact_json import NotJsonError, from_json, is_plain, to_json
from workbench.worker.faults import message_of

FIELDS: Mapping[str, Mapping[str, str]] = {
    "tool": {
        "args": "args",
        "input_schema": "inputSchema",
        "output_schema": "outputSchema",
        "tenvs": "tenvs",
    },
    "effect": {"args": "args"},
    "prompt": {"required_schema": "requiredSchema"},
}
"""The fields that hold schemas, by kind, with their names on the wire."""

_WITH_ARGUMENTS = frozenset({"tool", "effect"})
"""The kinds whose function gets arguments that a schema describes."""

_TOO_FINE_FOR_A_FLOAT = re.compile(rb"[\d.]{17}|[eE][+-]?\d{3}")
"""A model that parses JSON itself reads every decimal number as a float first."""

_INPUT = {"standard-agents": "args", "agent-sdk": "input_schema"}


class ArgumentsRefused(Exception):
    """The author's model refused the arguments; the message lists every problem."""


def is_model(value: Any) -> bool:
    return (
        isinstance(value, type)
        and hasattr(value, "model_json_schema")
        and hasattr(value, "model_validate_json")
    )


def captured(definition: Definition, dialect: str) -> dict[str, Any]:
    """The raw form's `schemas`: one entry for each field that was given, or that an annotation gives."""
    schemas = {
        wire: _capture(definition.fields[field])
        for field, wire in FIELDS.get(definition.kind, {}).items()
        if definition.fields.get(field) is not None
    }
    if definition.kind not in _WITH_ARGUMENTS or {"args", "inputSchema"} & schemas.keys():
        return schemas
    if definition.execute is not None:
        annotation = _annotation(definition.execute, dialect)
        if annotation is not None:
            schemas[FIELDS["tool"][_INPUT[dialect]]] = annotation
    return schemas


def input_model(definition: Definition, dialect: str) -> Any:
    """The model that parses the arguments, or None when they are passed as plain JSON values."""
    if definition.kind not in _WITH_ARGUMENTS:
        return None
    for field in (_INPUT[dialect], *_INPUT.values()):
        given = definition.fields.get(field)
        if given is not None:
            return given if is_model(given) else None
    if definition.execute is None:
        return None
    try:
        model = _evaluated_annotation(definition.execute, dialect)
    except Exception:  # the annotation is the author's code; `captured` reports it
        return None
    return model if is_model(model) else None


def parsed(arguments: bytes, model: Any) -> Any:
    """The arguments as the author's code gets them. Raises ArgumentsRefused."""
    if model is None:
        return from_json(arguments)
    try:
        if _TOO_FINE_FOR_A_FLOAT.search(arguments):
            return model.model_validate(from_json(arguments, exact=True))
        return model.model_validate_json(arguments)
    except ValueError as error:
        raise ArgumentsRefused(_problems(error)) from error


def _capture(value: Any, source: str = "model") -> dict[str, Any]:
    if is_model(value):
        try:
            return {"source": source, "schema": _checked(value.model_json_schema())}
        except Exception as error:  # pydantic's and the author's own hooks may raise anything
            return {"error": f"{value.__name__} gives no JSON Schema: {message_of(error)}"}
    if isinstance(value, Mapping):
        try:
            return {"source": "plain", "schema": _checked(value)}
        except NotJsonError as error:
            return {"error": f"The schema is not JSON. {error}"}
    if isinstance(value, type) and hasattr(value, "__fields__"):
        return {"error": f"{value.__name__} is a model of pydantic 1; schemas need pydantic 2."}
    return {"error": f"Expected a pydantic model or a JSON Schema mapping, found {_kind(value)}."}


def _checked(schema: Any) -> Any:
    """The schema as plain JSON. Raises NotJsonError."""
    plain = from_json(to_json(schema))
    if not is_plain(plain):
        raise NotJsonError("It holds a number that is out of range.")
    return plain


def _kind(value: Any) -> str:
    return (
        f"the class {value.__name__}"
        if isinstance(value, type)
        else f"a value of type {type(value).__name__}"
    )


def _annotation(execute: Callable[..., Any], dialect: str) -> dict[str, Any] | None:
    try:
        annotation = _evaluated_annotation(execute, dialect)
    except Exception as error:  # evaluating an annotation runs the author's code
        return {"error": f"The annotation of the arguments cannot be evaluated: {message_of(error)}"}
    return _capture(annotation, "annotation") if is_model(annotation) else None


def _evaluated_annotation(execute: Callable[..., Any], dialect: str) -> Any:
    index = 1 if dialect == "standard-agents" else 0
    try:
        parameters = list(inspect.signature(execute).parameters.values())
    except (TypeError, ValueError):  # some builtins have none
        return None
    if len(parameters) <= index or parameters[index].annotation is inspect.Parameter.empty:
        return None
    annotation = parameters[index].annotation
    if isinstance(annotation, str):
        function: Any = inspect.unwrap(execute)
        return eval(annotation, getattr(function, "__globals__", {}))  # noqa: S307  (the author's own annotation)
    return annotation


def _problems(error: ValueError) -> str:
    """What pydantic found, a line each, as the host tells its own."""
    listed: Any = getattr(error, "errors", None)
    if listed is None:
        return message_of(error)
    lines: list[str] = []
    for problem in listed():
        place = "".join(f"/{part}" for part in problem["loc"]) or "(the arguments)"
        words = problem["msg"].removeprefix("Value error, ")
        lines.append(f"- {place}: {words}" + ("" if words.endswith((".", "!", "?")) else "."))
    return "\n".join(lines)
