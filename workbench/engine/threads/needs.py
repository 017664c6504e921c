"""What a thread waits for before it works, where somebody can be asked: a child's own variables, a prompt's (C5)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from workbench.base.errors import UserError
from workbench.domain.definitions import VariableSpec
from workbench.domain.threads import ThreadStatus
from workbench.engine.catalog.reach import reach
from workbench.engine.threads.actor import Actor
from workbench.engine.threads.work import Work


async def prompt_variables(work: Work, actor: Actor) -> None:
    """Return when every required variable of the prompt has a value, or the thread is stopped.

    Raises UserError when nobody can give it one.
    """

    async def missing() -> Sequence[VariableSpec]:
        return await work.services.variables.missing(actor.prompt.variables, actor.layers)

    await _given(work, missing, f"The prompt {actor.prompt.name} needs variables that have no value")


async def scoped_variables(work: Work) -> None:
    """The same for the variables that a child does not read from above; it is parked until they are there (T5, V2)."""
    if work.thread.relationship is not None:
        name = work.thread.name or work.thread.agent
        await _given(
            work, lambda: missing_scoped(work), f"{name} needs variables of its own that have no value"
        )


async def missing_scoped(work: Work) -> Sequence[VariableSpec]:
    """The scoped variables without a value that a thread's agent requires."""
    agent = work.agent()
    needs = reach(work.services.catalog.directory, agent).needs
    own = [need.spec for need in needs if need.spec.scoped]
    return await work.services.variables.missing(own, work.layers(agent, {})) if own else ()


async def _given(work: Work, look: Callable[[], Awaitable[Sequence[VariableSpec]]], words: str) -> None:
    variables = work.services.variables
    generation = variables.generation
    missing = await look()
    if not missing:
        return
    names = ", ".join(spec.name for spec in missing)
    if not work.runtime.person_attached:
        raise UserError(
            f"{words}: {names}.", hint=f"Set them, then continue: workbench var set {missing[0].name}"
        )
    await work.move(ThreadStatus.WAITING, f"Waits for {names}.")
    while missing and not work.stopping:
        await work.or_stop(asyncio.ensure_future(variables.changed_since(generation)))
        generation = variables.generation
        missing = await look()
    await work.move(ThreadStatus.RUNNING, "")
