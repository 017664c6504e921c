"""A new thread as it is kept: what its agent is made with is looked at before anything of it is there (C5, C11, V3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonValue
from workbench.base.ids import ThreadId, uuid7
from workbench.base.instants import read_instant
from workbench.domain.agents import AgentDefinition
from workbench.domain.threads import Thread, ThreadKind
from workbench.domain.variables import Scope
from workbench.domain.writes import DeleteThread, PutThread
from workbench.engine.calls.callers import masked
from workbench.engine.catalog.offers import thread_schema
from workbench.engine.services import Services
from workbench.engine.threads.family import NewThread, OwnValue
from workbench.schema import compile_schema, fill_defaults


def new_thread(services: Services, new: NewThread) -> Thread:
    """The thread that is wanted; it is not kept yet. Raises UserError when it may not be so."""
    agent = services.catalog.require(AgentDefinition, new.agent)
    services.catalog.check_startable(agent)
    if new.as_of is not None:
        _check_instant(services, new.as_of)
    now = services.clock.now_us()
    masker = services.variables.masker
    arguments = masker.mask_json(_arguments(services, agent, new.arguments))
    return Thread(
        id=ThreadId(uuid7()),
        kind=ThreadKind.AGENT,
        created_at=now,
        updated_at=now,
        agent=agent.qualified_name,
        origin_agent=agent.qualified_name,
        user_id=new.user_id,
        parent_id=new.parent_id,
        made_by=new.made_by,
        relationship=new.relationship,
        forked_from=new.forked_from,
        replay=new.replay,
        name=masker.mask(new.name),
        tags=tuple(dict.fromkeys((*agent.tags, *map(masker.mask, new.tags)))),
        arguments=cast("Mapping[str, object]", arguments),
        channel=new.channel,
        channel_key=new.channel_key,
        auth=masked(services, new.auth),
        dry_run=new.dry_run,
        as_of=new.as_of,
    )


async def keep_new_thread(services: Services, thread: Thread, values: Sequence[OwnValue]) -> Thread:
    """Keep it with the values of its own; where a session of its key was begun before, that one is given and is as it
    was. Raises UserError."""
    if thread.channel_key:
        kept = await services.store.begin_session(thread)
        if kept.id != thread.id:
            return kept
    else:
        await services.store.commit(PutThread(thread))
    await _give(services, thread.id, values)
    return thread


def _check_instant(services: Services, as_of: str) -> None:
    """Every bound must be one that can be checked (C11)."""
    if read_instant(as_of) is None:
        raise UserError(
            f"“{as_of}” is no absolute instant with a time zone.",
            hint="Write it as 2026-03-01T12:00:00Z.",
        )
    services.catalog.check_time_arguments()


def _arguments(
    services: Services, agent: AgentDefinition, given: Mapping[str, object]
) -> dict[str, JsonValue]:
    """What the thread is made with: by the schema of the prompt that receives, its defaults filled in (C5)."""
    arguments = cast("dict[str, JsonValue]", dict(given))
    schema = thread_schema(services.catalog.directory, agent)
    if schema is None:
        return arguments
    compiled = compile_schema(schema)
    arguments = cast("dict[str, JsonValue]", fill_defaults(arguments, compiled.schema))
    errors = compiled.validate(arguments, mask=services.variables.masker.mask)
    if errors:
        lines = "\n".join(f"- {error.path or '(the arguments)'}: {error.message}" for error in errors)
        raise UserError(f"The arguments do not fit the agent {agent.name}:\n{lines}", hint="Mend them.")
    return arguments


async def _give(services: Services, thread_id: ThreadId, values: Sequence[OwnValue]) -> None:
    """What it has of its own, before anything of it runs. Raises UserError, with nothing of it left."""
    variables = services.variables
    try:
        for own in values:
            await variables.set(
                own.name,
                own.value,
                Scope.THREAD,
                type=own.type,
                thread_id=thread_id,
                session_only=own.session_only,
            )
    except UserError:
        for own in values:
            await variables.unset(own.name, Scope.THREAD, thread_id)
        await services.store.commit(DeleteThread(thread_id))
        raise
