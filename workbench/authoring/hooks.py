"""`define_hook`, `define_handler`, `define_effect`: code that a thread runs beside its tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from workbench.authoring.definition import NOT_GIVEN, CodeDefinition, made
from workbench.authoring.errors import DefinitionError
from workbench.authoring.variables import Variable

HookName = Literal[
    "after_thread_created",
    "after_subagent_created",
    "after_system_message",
    "filter_messages",
    "prefilter_llm_history",
    "before_create_message",
    "after_create_message",
    "before_update_message",
    "after_update_message",
    "before_store_tool_result",
    "after_tool_call_success",
    "after_tool_call_failure",
    "tool_call_started",
]


class HookDefinition(CodeDefinition):
    """A hook as written."""

    kind = "hook"


class HandlerDefinition(CodeDefinition):
    """A handler as written."""

    kind = "handler"


class EffectDefinition(CodeDefinition):
    """An effect as written."""

    kind = "effect"


_SAY_INSTEAD_OF_HOOK = {"name": "write id=", "type": "write hook="}
_SAY_INSTEAD_OF_HANDLER = {
    "name": "leave it out: a handler's name is the name of its file",
    "handler": "write execute=",
}
_SAY_INSTEAD_OF_EFFECT = {
    "name": "leave it out: an effect's name is the path of its file",
    "execute": "write handler=",
}


def define_hook(
    *positional: Any,
    hook: HookName = NOT_GIVEN,
    id: str = NOT_GIVEN,
    description: str = NOT_GIVEN,
    execute: Callable[..., Any] = NOT_GIVEN,
    **unknown: Any,
) -> HookDefinition:
    """Define the hook of this file (T8). As a decorator, the function below it is `execute`.

    `execute(state, …)` gets, by `hook`: nothing more (after_thread_created); `child` (after_subagent_created);
    `text` (after_system_message); `messages` (filter_messages, prefilter_llm_history); `message`
    (before_create_message, after_create_message, after_update_message); `message, updates`
    (before_update_message); `call, result` (before_store_tool_result, after_tool_call_success,
    after_tool_call_failure); `call, progress` (tool_call_started). What a `filter_`, `prefilter_` or `before_` hook,
    after_system_message or after_tool_call_… returns takes the place of the last of these; None leaves it.
    Raises DefinitionError for a field that does not exist, and for the older form (name, function).
    """
    if positional:
        raise DefinitionError(
            "define_hook(name, function) is an older form. Write define_hook(hook=…, id=…, execute=…).",
            code="old-form",
        )
    return made(HookDefinition, locals(), say_instead=_SAY_INSTEAD_OF_HOOK)


def define_handler(
    *positional: Any,
    description: str = NOT_GIVEN,
    execute: Callable[..., Any] = NOT_GIVEN,
    variables: Sequence[Variable | Mapping[str, Any]] = NOT_GIVEN,
    **unknown: Any,
) -> HandlerDefinition:
    """Define the handler of this file: code that takes the turns of a side. As a decorator, the function below it is
    `execute`.

    `execute(state, message)` runs once for each message that came in; a text it returns is the side's answer.
    Raises DefinitionError for a field that does not exist.
    """
    return made(HandlerDefinition, locals(), say_instead=_SAY_INSTEAD_OF_HANDLER)


def define_effect(
    *positional: Any,
    description: str = NOT_GIVEN,
    args: Any = NOT_GIVEN,
    handler: Callable[..., Any] = NOT_GIVEN,
    variables: Sequence[Variable | Mapping[str, Any]] = NOT_GIVEN,
    **unknown: Any,
) -> EffectDefinition:
    """Define the effect of this file: `define_effect(description, args, handler)`, with or without the names.

    `args` is a pydantic model or a JSON Schema mapping and may be left out; `handler(state, args)` runs when its time
    has come and gives nothing back. As a decorator, the function below it is the handler. Raises DefinitionError
    for a field that does not exist.
    """
    given = locals()
    names = ("description", "handler") if len(positional) == 2 else ("description", "args", "handler")
    for name, value in zip(names, positional):
        if given[name] is not NOT_GIVEN:
            raise DefinitionError(f"define_effect was given {name} twice.")
        given[name] = value
    given["positional"] = positional[len(names) :]
    given["execute"] = given.pop("handler")
    return made(EffectDefinition, given, say_instead=_SAY_INSTEAD_OF_EFFECT)
