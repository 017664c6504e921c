"""Reading a prompt: its text, its tools, and the older forms that have something else in their place (D11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, cast

from pydantic import Field

from workbench.domain.prompts import (
    EnvPart,
    IncludePart,
    PromptDefinition,
    PromptPart,
    PromptTool,
    Reasoning,
    TextPart,
)
from workbench.engine.catalog.fields import OneOrMore, Written, WrittenVariable, on_the_wire
from workbench.engine.catalog.reader import Raw, Reader


class WrittenReasoning(Written):
    effort: Literal["low", "medium", "high"] | None = None
    max_tokens: int | None = Field(default=None, gt=0)
    exclude: bool | None = None
    include: bool | None = None


class WrittenPart(Written):
    type: Literal["text", "include", "env"]
    content: str | None = None
    prompt: str | None = None
    property: str | None = None


class WrittenEntry(Written):
    name: str = Field(min_length=1)
    env: dict[str, str] = {}
    tenvs: dict[str, str] | None = None
    options: dict[str, object] = {}
    include_text_response: bool = True
    include_tool_calls: bool = True
    include_errors: bool = True
    init_user_message_property: str | None = None
    init_attachments_property: OneOrMore = []


class PromptFields(Written):
    """Every field but the schema; `tools` and a list of parts are read one by one."""

    name: str = Field(min_length=1)
    tool_description: str = ""
    prompt: str | list[str | dict[str, object]]
    model: str = Field(min_length=1)
    include_chat: bool = False
    include_past_tools: bool = False
    parallel_tool_calls: bool = False
    tool_choice: Literal["auto", "none", "required"] = "auto"
    tools: list[str | dict[str, object]] = []
    variables: list[WrittenVariable] = []
    env: dict[str, str] = {}
    tenvs: dict[str, str] | None = None
    reasoning: WrittenReasoning | None = None
    recent_image_threshold: int = Field(default=10, ge=0)
    provider_options: dict[str, object] = {}
    hooks: list[str] | None = None
    expose_as_tool: bool | None = None


_PART_FIELDS = {"text": "content", "include": "prompt", "env": "property"}
_OF_A_SUBAGENT = frozenset(
    {
        "agent",
        "as",
        "blocking",
        "immediate",
        "optional",
        "resumable",
        "receivesMessages",
        "maxInstances",
        "parentCommunication",
        "initAgentNameProperty",
    }
)


def read_prompt(reader: Reader) -> PromptDefinition | None:
    """The prompt, or None when an error was found."""
    older = _older_fields(reader)
    reader.written = {name: value for name, value in reader.written.items() if name not in older}
    fields = reader.fields(PromptFields)
    if fields is None:
        return None
    reader.take_name(fields.name)
    reader.check_callable_name()
    reader.description = fields.tool_description
    if fields.expose_as_tool is not None:
        hint = "Leave it out: a prompt is a tool where another prompt's tools name it."
        reader.deprecated(reader.spelled("exposeAsTool"), hint)
    parts = tuple(_parts(reader, fields.prompt))
    tools = tuple(_tools(reader, fields.tools))
    schema = reader.schema("requiredSchema")
    variables = reader.variables(fields.variables)
    env = reader.env(fields.env, fields.tenvs)
    if reader.failed:
        return None
    return PromptDefinition(
        **reader.shared(schema),
        parts=parts,
        model=fields.model,
        include_chat=fields.include_chat,
        include_past_tools=fields.include_past_tools,
        parallel_tool_calls=fields.parallel_tool_calls,
        tool_choice=fields.tool_choice,
        required_schema=schema,
        tools=tools,
        variables=variables,
        env=env,
        reasoning=Reasoning(**fields.reasoning.model_dump()) if fields.reasoning else None,
        recent_image_threshold=fields.recent_image_threshold,
        provider_options=fields.provider_options,
        hooks=None if fields.hooks is None else tuple(fields.hooks),
    )


def _older_fields(reader: Reader) -> frozenset[str]:
    if "subagents" in reader.written:
        reader.old_form(
            "A prompt has no subagents: they belong to the side of an agent.",
            f"Write {reader.code('side_a=PromptSide(prompt=…, subagents=[Subagent(agent=…)])')} on the agent.",
        )
    if "maxImagePixels" in reader.written:
        field = reader.spelled("maxImagePixels")
        reader.deprecated(field, "Leave it out: images are sent as they are.")
    return frozenset({"subagents", "maxImagePixels"})


def _parts(reader: Reader, written: str | list[str | dict[str, object]]) -> Iterator[PromptPart]:
    if isinstance(written, str):
        yield TextPart(content=written)
        return
    for index, one in enumerate(written):
        part = _part(reader, one, f"prompt[{index}]")
        if part is not None:
            yield part


def _part(reader: Reader, written: str | Raw, what: str) -> PromptPart | None:
    if isinstance(written, str):
        return TextPart(content=written)
    fields = reader.part(WrittenPart, written, what)
    if fields is None:
        return None
    given = {name for name in _PART_FIELDS.values() if getattr(fields, name) is not None}
    wanted = _PART_FIELDS[fields.type]
    if given != {wanted}:
        reader.problem(
            "bad-field", f"The part {what} of the type {fields.type} has the field {wanted} and no other."
        )
        return None
    if fields.type == "text":
        return TextPart(content=fields.content or "")
    if fields.type == "include":
        return IncludePart(prompt=fields.prompt or "")
    return EnvPart(property=fields.property or "")


def _tools(reader: Reader, written: list[str | dict[str, object]]) -> Iterator[PromptTool]:
    seen: set[str] = set()
    for index, one in enumerate(written):
        entry = PromptTool(name=one) if isinstance(one, str) else _entry(reader, one, f"tools[{index}]")
        if entry is None:
            continue
        if entry.name in seen:
            reader.problem("bad-field", f"tools names {entry.name} twice.")
        seen.add(entry.name)
        yield entry


def _entry(reader: Reader, written: Mapping[str, object], what: str) -> PromptTool | None:
    of_a_subagent = sorted(_OF_A_SUBAGENT.intersection(map(on_the_wire, written)))
    if of_a_subagent:
        name = written.get("name") or written.get("agent") or "…"
        fields = ", ".join(map(reader.spelled, of_a_subagent))
        side = f"PromptSide(prompt=…, subagents=[Subagent(agent={str(name)!r}, …)])"
        reader.old_form(
            f"The entry {what} sets up a subagent ({fields}), which tools cannot.",
            f"On the agent write {reader.code(side)}.",
        )
        return None
    fields = reader.part(WrittenEntry, written, what)
    if fields is None:
        return None
    env = reader.env(fields.env, fields.tenvs, f"{what}.")
    values = cast(dict[str, object], fields.model_dump(exclude={"env", "tenvs", "init_attachments_property"}))
    files = tuple(fields.init_attachments_property)
    return PromptTool.model_validate({**values, "env": env, "init_attachments_property": files})
