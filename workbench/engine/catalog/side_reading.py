"""Reading one side of an agent: what backs it, when it stops, which agents serve it (T1, T2, T5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, cast

from pydantic import Field
from pydantic.alias_generators import to_snake

from workbench.domain.agents import (
    LIFECYCLE_TOOLS,
    HandlerSide,
    HumanSide,
    Immediate,
    PromptSide,
    Relationship,
    SessionBinding,
    Side,
)
from workbench.engine.catalog.fields import OneOrMore, Written, on_the_wire
from workbench.engine.catalog.reader import Raw, Reader


class WrittenBinding(Written):
    name: str = Field(min_length=1)
    message_property: str | None = None
    attachments_property: OneOrMore = []


class WrittenImmediate(Written):
    name_env: str | None = None
    description_env: str | None = None
    scoped_env: list[str] = []


class WrittenSubagent(Written):
    agent: str = Field(min_length=1)
    as_: str | None = Field(default=None, alias="as")
    blocking: bool = True
    immediate: bool | WrittenImmediate = False
    hidden: bool = False
    resumable: bool = True
    max_instances: int | None = Field(default=None, gt=0)
    parent_communication: Literal["implicit", "explicit"] = "implicit"
    optional: str | None = None
    init_user_message_property: str | None = None
    init_attachments_property: OneOrMore = []
    init_agent_name_property: str | None = None


class WrittenHuman(Written):
    human: Literal[True]
    label: str | None = None


class WrittenHandler(Written):
    handler: str = Field(min_length=1)
    label: str | None = None
    subagents: list[dict[str, object]] = []


class WrittenPrompt(Written):
    prompt: str = Field(min_length=1)
    label: str | None = None
    subagents: list[dict[str, object]] = []
    stop_on_response: bool = True
    stop_tool: str | None = None
    stop_tool_response_property: str | None = None
    max_steps: int | None = Field(default=None, gt=0)
    session_stop: WrittenBinding | None = None
    session_fail: WrittenBinding | None = None
    session_status: WrittenBinding | None = None
    manual_stop_condition: bool = False


_SIDES = "=HumanSide(), PromptSide(prompt=…) or HandlerSide(handler=…)"

OLDER_SIDE_FIELDS = {
    "endConversationTool": "session_stop=SessionBinding(name=…)",
    "maxTurns": "max_steps=…",
    "defaultPrompt": "prompt=…",
    "defaultModel": "model=… in the side's prompt",
    "turns": "max_steps=…",
    "tools": "tools=… in the side's prompt",
}
"""What a side had in earlier versions, with what to write instead (D11)."""


def read_side(reader: Reader, written: Raw, what: str) -> Side | None:
    """The side, or None when an error was found; `what` is the field that holds it."""
    given = {
        name: value
        for name, value in written.items()
        if value is not None and not (name == "human" and value is False)
    }
    backings = [name for name in ("human", "prompt", "handler") if name in given]
    if len(backings) != 1:
        found = " and ".join(backings) or "none of them"
        reader.problem(
            "side-shape",
            f"{what} is exactly one of human, prompt and handler; this one has {found}.",
            f"Write {reader.code(to_snake(what) + _SIDES)}.",
        )
        return None
    if backings == ["human"]:
        human = reader.part(WrittenHuman, given, what)
        return HumanSide(label=human.label) if human else None
    if backings == ["handler"]:
        handler = reader.part(WrittenHandler, given, what)
        if handler is None:
            return None
        subagents = tuple(_subagents(reader, handler.subagents, what))
        return HandlerSide(handler=handler.handler, label=handler.label, subagents=subagents)
    return _prompt_side(reader, given, what)


def _prompt_side(reader: Reader, given: Raw, what: str) -> PromptSide | None:
    given = _without_older(reader, given, what)
    side = reader.part(WrittenPrompt, given, what)
    if side is None:
        return None
    if side.stop_tool is not None and side.stop_tool_response_property is None:
        words = reader.spelled("stopToolResponseProperty")
        reader.problem(
            "bad-field",
            f"{what} has a {reader.spelled('stopTool')} and no {words}.",
            f"Write {words}: the argument of {side.stop_tool} that is the answer.",
        )
    return PromptSide(
        prompt=side.prompt,
        label=side.label,
        subagents=tuple(_subagents(reader, side.subagents, what)),
        stop_on_response=side.stop_on_response,
        stop_tool=side.stop_tool,
        stop_tool_response_property=side.stop_tool_response_property,
        max_steps=side.max_steps,
        session_stop=_binding(side.session_stop),
        session_fail=_binding(side.session_fail),
        session_status=_binding(side.session_status),
        manual_stop_condition=side.manual_stop_condition,
    )


def _without_older(reader: Reader, given: Raw, what: str) -> Raw:
    kept: dict[str, object] = {}
    for name, value in given.items():
        wire = on_the_wire(name)
        if wire in OLDER_SIDE_FIELDS:
            reader.old_form(
                f"{what} has no field {reader.spelled(wire)}.",
                f"Write {reader.code(OLDER_SIDE_FIELDS[wire])}.",
            )
        elif wire in ("sessionStop", "sessionFail", "sessionStatus") and isinstance(value, str):
            binding = f"{to_snake(wire)}=SessionBinding(name={value!r})"
            reader.old_form(
                f"{what}.{reader.spelled(wire)} is a name; it is a SessionBinding.",
                f"Write {reader.code(binding)}.",
            )
        else:
            kept[name] = value
    return kept


def _binding(written: WrittenBinding | None) -> SessionBinding | None:
    if written is None:
        return None
    return SessionBinding(
        name=written.name,
        message_property=written.message_property,
        attachments_property=tuple(written.attachments_property),
    )


def _subagents(reader: Reader, written: list[dict[str, object]], what: str) -> Iterator[Relationship]:
    seen: set[str] = set()
    for index, one in enumerate(written):
        place = f"{what}.subagents[{index}]"
        given = {name: value for name, value in one.items() if value is not None}
        if isinstance(given.get("resumable"), Mapping):
            settings = cast(Raw, given.pop("resumable"))
            reader.old_form(
                f"{place}.resumable is true or false; its settings ({', '.join(settings)}) are fields of the subagent.",
                f"Write {reader.code('max_instances=… and parent_communication=…')} beside it.",
            )
        fields = reader.part(WrittenSubagent, given, place)
        if fields is None:
            continue
        name = fields.as_ or fields.agent
        if name in seen:
            hint = "Tell them apart with as_."
            reader.problem("bad-field", f"{what} has two subagents with the name {name}.", hint)
        if name in LIFECYCLE_TOOLS:
            reader.problem("reserved-name", f"“{name}” is the name of a built-in tool for subagents.")
        seen.add(name)
        yield _relationship(name, fields)


def _relationship(name: str, fields: WrittenSubagent) -> Relationship:
    immediate = None
    if isinstance(fields.immediate, WrittenImmediate):
        immediate = Immediate(
            name_env=fields.immediate.name_env,
            description_env=fields.immediate.description_env,
            scoped_env=tuple(fields.immediate.scoped_env),
        )
    elif fields.immediate:
        immediate = Immediate()
    return Relationship(
        name=name,
        agent=fields.agent,
        blocking=fields.blocking,
        immediate=immediate,
        hidden=fields.hidden,
        resumable=fields.resumable,
        max_instances=fields.max_instances,
        parent_communication=fields.parent_communication,
        optional=fields.optional,
        init_user_message_property=fields.init_user_message_property,
        init_attachments_property=tuple(fields.init_attachments_property),
        init_agent_name_property=fields.init_agent_name_property,
    )
