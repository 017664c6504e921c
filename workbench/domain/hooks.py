"""Code that a thread runs beside its tools, as the engine knows it: hooks, handlers and effects."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from workbench.domain.definitions import Definition, JsonSchema


class HookName(StrEnum):
    """The moments at which a hook can run (T8)."""

    AFTER_THREAD_CREATED = "after_thread_created"
    AFTER_SUBAGENT_CREATED = "after_subagent_created"
    AFTER_SYSTEM_MESSAGE = "after_system_message"
    FILTER_MESSAGES = "filter_messages"
    PREFILTER_LLM_HISTORY = "prefilter_llm_history"
    BEFORE_CREATE_MESSAGE = "before_create_message"
    AFTER_CREATE_MESSAGE = "after_create_message"
    BEFORE_UPDATE_MESSAGE = "before_update_message"
    AFTER_UPDATE_MESSAGE = "after_update_message"
    BEFORE_STORE_TOOL_RESULT = "before_store_tool_result"
    AFTER_TOOL_CALL_SUCCESS = "after_tool_call_success"
    AFTER_TOOL_CALL_FAILURE = "after_tool_call_failure"
    TOOL_CALL_STARTED = "tool_call_started"


class HookShape(NamedTuple):
    """What a hook is called with after `state`, and whether what it returns takes the place of the last of it.

    A hook that transforms and returns None leaves everything as it was.
    """

    parameters: tuple[str, ...]
    transforms: bool


HOOKS: Mapping[HookName, HookShape] = {
    HookName.AFTER_THREAD_CREATED: HookShape((), False),
    HookName.AFTER_SUBAGENT_CREATED: HookShape(("child",), False),
    HookName.AFTER_SYSTEM_MESSAGE: HookShape(("text",), True),
    HookName.FILTER_MESSAGES: HookShape(("messages",), True),
    HookName.PREFILTER_LLM_HISTORY: HookShape(("messages",), True),
    HookName.BEFORE_CREATE_MESSAGE: HookShape(("message",), True),
    HookName.AFTER_CREATE_MESSAGE: HookShape(("message",), False),
    HookName.BEFORE_UPDATE_MESSAGE: HookShape(("message", "updates"), True),
    HookName.AFTER_UPDATE_MESSAGE: HookShape(("message",), False),
    HookName.BEFORE_STORE_TOOL_RESULT: HookShape(("call", "result"), True),
    HookName.AFTER_TOOL_CALL_SUCCESS: HookShape(("call", "result"), True),
    HookName.AFTER_TOOL_CALL_FAILURE: HookShape(("call", "result"), True),
    HookName.TOOL_CALL_STARTED: HookShape(("call", "progress"), False),
}
"""Every hook with what it gets: records with the wire's names, a text, or a list of records."""


class HookDefinition(Definition):
    """A hook; its name is the `id` that prompts and agents list."""

    hook: HookName


class HandlerDefinition(Definition):
    """Code that backs a side: called with `(state, message)` for each message that came in."""


class EffectDefinition(Definition):
    """Work that a thread schedules: called with `(state, args)`; its name is its path, as in `mail/digest`."""

    input_schema: JsonSchema | None = None
