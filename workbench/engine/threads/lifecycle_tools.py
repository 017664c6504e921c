"""`subagents`, `subagent_create`, `subagent_message`: what a prompt with relationships works with them by (T5)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from workbench.base.errors import UserError
from workbench.base.exact_json import dump
from workbench.base.ids import ThreadId
from workbench.domain.agents import AgentDefinition, HumanSide, Relationship
from workbench.domain.definitions import DefinitionFile, DefinitionKind, Dialect, JsonSchema, Language
from workbench.domain.tools import ToolDefinition
from workbench.engine.calls.carrying import paths_in
from workbench.engine.calls.running import RunningCall
from workbench.engine.calls.setting import Offered, Perform
from workbench.engine.catalog.offers import call_schema
from workbench.engine.ports import HostAnswer, Raised, Returned
from workbench.engine.threads.actor import Actor
from workbench.engine.threads.agent_calls import answered, refused
from workbench.engine.threads.children import Children, first_words, registry_entry
from workbench.engine.threads.family import Family
from workbench.engine.threads.reports import Reports
from workbench.engine.threads.work import Work
from workbench.schema import compile_schema

_TRUE = frozenset({"true", "1", "yes"})


class LifecycleTools:
    """For the turns of one thread."""

    def __init__(self, work: Work, children: Children, reports: Reports, family: Family) -> None:
        self._work = work
        self._children = children
        self._reports = reports
        self._family = family

    async def of(self, actor: Actor) -> Mapping[str, Offered]:
        """The tools by their names; none for a side without relationships that it may see."""
        side = actor.agent.side(actor.side)
        if isinstance(side, HumanSide):
            return {}
        relations = [one for one in side.subagents if not one.hidden and await self._holds(one, actor)]
        if not relations:
            return {}
        return {
            tool.name: Offered(tool, perform=perform)
            for tool, perform in (
                (_tool("subagents", "List the subagents, with what each does now.", _schema({})), self._list),
                (_create_tool(self._schemas(relations, actor)), self._creator(relations, actor)),
                (_message_tool(), self._say),
            )
        }

    async def of_missing(self, actor: Actor) -> Mapping[str, Offered]:
        """What makes the children that were to be there from the beginning and need arguments; none when all are (T5).

        The prompt is asked for them before its first turn. None of them is waited for.
        """
        side = actor.agent.side(actor.side)
        if isinstance(side, HumanSide) or not any(one.immediate for one in side.subagents):
            return {}
        there = {child.relationship for child in await self._children.of(self._work)}
        missing = [one for one in side.subagents if one.immediate and one.name not in there]
        relations = [
            one.model_copy(update={"blocking": False}) for one in missing if await self._holds(one, actor)
        ]
        if not relations:
            return {}
        tool = _create_tool(self._schemas(relations, actor))
        about = [text for one in relations if (text := await self._described(one, actor))]
        tool = tool.model_copy(
            update={"description": " ".join((tool.description, "It is needed now.", *about))}
        )
        return {tool.name: Offered(tool, perform=self._creator(relations, actor))}

    async def _described(self, relation: Relationship, actor: Actor) -> str:
        """What the variables say that name and describe a child; no others are for a model's eyes."""
        wanted, variables = relation.immediate, self._work.services.variables
        names = (wanted.name_env, wanted.description_env) if wanted else ()
        values = [(await variables.resolve(name, actor.layers)).value for name in names if name]
        said = ": ".join(value for value in values if value)
        return f"{relation.name} is {said}." if said else ""

    async def _holds(self, relation: Relationship, actor: Actor) -> bool:
        if relation.optional is None:
            return True
        found = await self._work.services.variables.resolve(relation.optional, actor.layers)
        return (found.value or "").strip().lower() in _TRUE

    def _schemas(self, relations: Sequence[Relationship], actor: Actor) -> Mapping[str, JsonSchema]:
        directory = self._work.services.catalog.directory
        found = {
            one.name: directory.find(AgentDefinition, one.agent, actor.agent.package) for one in relations
        }
        return {name: call_schema(directory, agent) for name, agent in found.items() if agent is not None}

    async def _list(self, call: RunningCall) -> HostAnswer:
        del call
        relations = {relation.name: relation for _, relation in self._work.agent().relationships}
        children = await self._children.of(self._work)
        rows = [registry_entry(child, relations.get(child.relationship or "")) for child in children]
        return Returned("json", json=dump(rows).encode())

    def _creator(self, relations: Sequence[Relationship], actor: Actor) -> Perform:
        by_name = {relation.name: relation for relation in relations}

        async def create(call: RunningCall) -> HostAnswer:
            relation = by_name[str(call.value["relationship"])]
            arguments = cast("Mapping[str, object]", call.value.get("arguments") or {})
            try:
                self._check(relation, arguments)
                name, made_by = str(call.value["name"]), call.record.id
                child = await self._children.make(
                    self._work, relation, name, arguments, made_by=made_by, layers=actor.layers
                )
                text, paths = first_words(relation, arguments)
                made = f"{child.thread.name} works. Its reference is {child.thread.id}."
                return await self._speak(call, child, relation, text, paths, otherwise=made)
            except UserError as error:
                return refused(error)

        return create

    def _check(self, relation: Relationship, arguments: Mapping[str, object]) -> None:
        catalog = self._work.services.catalog
        agent = catalog.require(AgentDefinition, relation.agent, self._work.agent().package)
        schema = compile_schema(call_schema(catalog.directory, agent))
        errors = schema.validate(dict(arguments), mask=self._work.services.variables.masker.mask)  # pyright: ignore[reportArgumentType]
        if errors:
            lines = "\n".join(f"- {error.path or '(the arguments)'}: {error.message}" for error in errors)
            raise UserError(f"The arguments do not fit {relation.name}:\n{lines}")

    async def _say(self, call: RunningCall) -> HostAnswer:
        reference, text = ThreadId(str(call.value["reference"])), str(call.value["message"])
        children = {child.id: child for child in await self._children.of(self._work)}
        if reference not in children:
            return Raised(
                "tool_error", "KeyError", f"There is no subagent {reference}. Call subagents to see them."
            )
        try:
            child = await self._family.work_of(reference)
            paths = paths_in(call.value.get("attachments"))
            relation = await self._children.relation_of(child)
            sent = "The message was sent."
            return await self._speak(call, child, relation, text, paths, otherwise=sent)
        except UserError as error:
            return refused(error)

    async def _speak(
        self,
        call: RunningCall,
        child: Work,
        relation: Relationship | None,
        text: str,
        paths: Iterable[str],
        *,
        otherwise: str,
    ) -> HostAnswer:
        """A blocking child's answer is the call's; any other only takes the message."""
        if relation is not None and relation.blocking:
            return answered(call, await self._reports.ask(self._work, child, text, paths))
        await self._children.speak(self._work, child, text, paths)
        return Returned("text", text=otherwise.encode())


def _create_tool(schemas: Mapping[str, JsonSchema]) -> ToolDefinition:
    words = "Start a subagent. `arguments` are those of the relationship that is named."
    one_of = [{"title": name, **schema} for name, schema in schemas.items()]
    arguments: JsonSchema = one_of[0] if len(one_of) == 1 else {"type": "object", "anyOf": one_of}
    return _tool(
        "subagent_create",
        words,
        _schema(
            {
                "relationship": {"type": "string", "enum": list(schemas)},
                "name": {"type": "string", "minLength": 1, "description": "What to call it."},
                "arguments": arguments,
            },
            required=("relationship", "name"),
        ),
    )


def _message_tool() -> ToolDefinition:
    return _tool(
        "subagent_message",
        "Send a message to a subagent.",
        _schema(
            {
                "reference": {"type": "string", "description": "As subagents or subagent_create gave it."},
                "message": {"type": "string"},
                "attachments": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Paths of files.",
                },
            },
            required=("reference", "message"),
        ),
    )


def _schema(properties: Mapping[str, object], required: Sequence[str] = ()) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _tool(name: str, description: str, schema: JsonSchema) -> ToolDefinition:
    file = DefinitionFile(
        path="(built in)",
        kind=DefinitionKind.TOOL,
        dialect=Dialect.STANDARD_AGENTS,
        language=Language.PYTHON,
        name=name,
        digest="",
    )
    digest = hashlib.sha256(dump(schema).encode()).hexdigest()
    return ToolDefinition(
        name=name, file=file, description=description, input_schema=schema, version=f"{name}:{digest[:16]}"
    )
