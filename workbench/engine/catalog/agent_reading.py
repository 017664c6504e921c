"""Reading an agent, and the older forms of one (T1, D11)."""

from __future__ import annotations

from pydantic import Field

from workbench.domain.agents import AgentDefinition, HumanSide
from workbench.engine.catalog.fields import Written, WrittenVariable
from workbench.engine.catalog.reader import Reader
from workbench.engine.catalog.side_reading import OLDER_SIDE_FIELDS, read_side


class AgentFields(Written):
    """Every field; the sides are read one by one."""

    name: str = Field(min_length=1)
    title: str | None = None
    description: str = ""
    side_a: dict[str, object]
    side_b: dict[str, object]
    max_session_turns: int | None = Field(default=None, gt=0)
    expose_as_tool: bool = False
    tool_description: str = ""
    primary: bool = True
    parent_hooks: list[str] = []
    hooks: list[str] = []
    variables: list[WrittenVariable] = []
    env: dict[str, str] = {}
    tenvs: dict[str, str] | None = None
    icon: str | None = None
    tags: list[str] = []
    package_name: str | None = None
    version: str | None = None
    author: str | None = None
    license: str | None = None


def read_agent(reader: Reader) -> AgentDefinition | None:
    """The agent, or None when an error was found."""
    _older_fields(reader)
    fields = reader.fields(AgentFields)
    if fields is None:
        return None
    reader.take_name(fields.name)
    if fields.expose_as_tool:
        _exposed(reader, fields)
    reader.description = fields.description
    side_a = read_side(reader, fields.side_a, reader.spelled("sideA"))
    side_b = read_side(reader, fields.side_b, reader.spelled("sideB"))
    if isinstance(side_a, HumanSide) and isinstance(side_b, HumanSide):
        hint = "Make one side a prompt or a handler."
        reader.problem("both-human", "A person on both sides leaves nothing to run.", hint)
    variables = reader.variables(fields.variables)
    env = reader.env(fields.env, fields.tenvs)
    packing = {
        "packageName": fields.package_name,
        "version": fields.version,
        "author": fields.author,
        "license": fields.license,
    }
    if reader.failed or side_a is None or side_b is None:
        return None
    return AgentDefinition(
        **reader.shared(),
        title=fields.title,
        side_a=side_a,
        side_b=side_b,
        max_session_turns=fields.max_session_turns,
        expose_as_tool=fields.expose_as_tool,
        tool_description=fields.tool_description,
        primary=fields.primary,
        parent_hooks=tuple(fields.parent_hooks),
        hooks=tuple(fields.hooks),
        variables=variables,
        env=env,
        icon=fields.icon,
        tags=tuple(fields.tags),
        packing={name: value for name, value in packing.items() if value is not None},
    )


def _exposed(reader: Reader, fields: AgentFields) -> None:
    """An agent that models can call says what for, under a name that they can use (D2, D10)."""
    if not fields.tool_description:
        reader.problem(
            "missing-tool-description",
            f"The agent {fields.name} is exposed as a tool and does not say what for.",
            f"Write {reader.spelled('toolDescription')}: what a model reads when it can call the agent.",
        )
    reader.check_callable_name()


_OLDER_TYPES = {
    "ai_human": "side_b=HumanSide()",
    "dual_ai": "side_a=PromptSide(prompt=…), side_b=PromptSide(prompt=…)",
}


def _older_fields(reader: Reader) -> None:
    """Take out of `written` what earlier versions had, and say what to write instead (D11)."""
    kind = reader.written.get("type")
    if kind is not None:
        sides = _OLDER_TYPES.get(str(kind), " and ".join(f"side_{side}=…" for side in "ab"))
        hint = f"Leave type out and write {reader.code(sides)}."
        reader.old_form("An agent has no type: each side says what backs it.", hint)
    for field in ("endConversationTool", "maxTurns", "defaultPrompt", "defaultModel"):
        if field in reader.written:
            hint = f"Write {reader.code(OLDER_SIDE_FIELDS[field])}, on a side."
            reader.old_form(f"An agent has no field {reader.spelled(field)}.", hint)
    older = {"type", *OLDER_SIDE_FIELDS}
    reader.written = {name: value for name, value in reader.written.items() if name not in older}
