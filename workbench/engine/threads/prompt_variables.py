"""A prompt's own required variables: the step waits for them where somebody can be asked, else it fails (C5)."""

from __future__ import annotations

import asyncio

from workbench.base.errors import UserError
from workbench.domain.threads import ThreadStatus
from workbench.engine.threads.actor import Actor
from workbench.engine.threads.work import Work


async def prompt_variables(work: Work, actor: Actor) -> None:
    """Return when every required variable of the prompt has a value. Raises UserError when nobody can give it one."""
    variables = work.services.variables
    generation = variables.generation
    missing = await variables.missing(actor.prompt.variables, actor.layers)
    if not missing:
        return
    words = ", ".join(spec.name for spec in missing)
    if not work.runtime.person_attached:
        raise UserError(
            f"The prompt {actor.prompt.name} needs variables that have no value: {words}.",
            hint=f"Set them, then continue: workbench var set {missing[0].name}",
        )
    await work.move(ThreadStatus.WAITING, f"Waits for {words}.")
    while missing and not work.stopping:
        await work.or_stop(asyncio.ensure_future(variables.changed_since(generation)))
        generation = variables.generation
        missing = await variables.missing(actor.prompt.variables, actor.layers)
    await work.move(ThreadStatus.RUNNING, "")
