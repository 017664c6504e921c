"""Reading hooks, handlers and effects: code that runs beside the tools of a thread (T8)."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import cast

from pydantic import Field

from workbench.domain.definitions import Severity
from workbench.domain.hooks import HOOKS, EffectDefinition, HandlerDefinition, HookDefinition, HookName
from workbench.engine.catalog.fields import Written, WrittenVariable
from workbench.engine.catalog.reader import Reader


class HookFields(Written):
    hook: str = Field(min_length=1)
    id: str = Field(min_length=1)
    description: str = ""


class HandlerFields(Written):
    description: str = ""
    variables: list[WrittenVariable] = []


class EffectFields(Written):
    description: str = Field(min_length=1)
    variables: list[WrittenVariable] = []


def read_hook(reader: Reader) -> HookDefinition | None:
    """The hook, or None when an error was found."""
    fields = reader.fields(HookFields)
    if fields is None:
        return None
    reader.take_name(fields.id, field="id")
    reader.description = fields.description or fields.hook
    reader.require_execute()
    known = [hook.value for hook in HookName]
    if fields.hook not in known:
        near = get_close_matches(fields.hook, known, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"Write one of {', '.join(known)}."
        reader.problem("unknown-hook-kind", f"There is no moment “{fields.hook}” for a hook.", hint)
        return None
    hook = HookName(fields.hook)
    _parameters(reader, hook)
    return None if reader.failed else HookDefinition(**reader.shared(), hook=hook)


def _parameters(reader: Reader, hook: HookName) -> None:
    """A function cannot change what it does not take."""
    execute = reader.execute
    names = ("state", *HOOKS[hook].parameters)
    taken = cast(Mapping[str, object], execute).get("parameters") if isinstance(execute, Mapping) else None
    if isinstance(taken, int) and taken < len(names) - 1 and HOOKS[hook].transforms:
        words = f"A {hook} hook is called with ({', '.join(names)}); this one takes {taken}."
        reader.add("hook-parameters", Severity.WARNING, words, "What it leaves out it cannot change.")


def read_handler(reader: Reader) -> HandlerDefinition | None:
    """The handler, or None when an error was found."""
    fields = reader.fields(HandlerFields)
    if fields is None:
        return None
    reader.description = fields.description
    reader.require_execute()
    variables = reader.variables(fields.variables)
    return None if reader.failed else HandlerDefinition(**reader.shared(), variables=variables)


def read_effect(reader: Reader) -> EffectDefinition | None:
    """The effect, or None when an error was found."""
    fields = reader.fields(EffectFields)
    if fields is None:
        return None
    reader.description = fields.description
    reader.require_execute("handler")
    schema = reader.schema("args")
    variables = reader.variables(fields.variables)
    if reader.failed:
        return None
    return EffectDefinition(**reader.shared(schema), input_schema=schema, variables=variables)
