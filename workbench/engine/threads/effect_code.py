"""What a scheduled effect does when its time has come: its definition's code, or a reminder for its thread."""

from __future__ import annotations

from collections.abc import Callable

from workbench.base.errors import RunError, UserError
from workbench.base.exact_json import JsonValue, parse_object
from workbench.base.ids import MessageId
from workbench.domain.effects import EffectRun
from workbench.domain.hooks import EffectDefinition
from workbench.domain.threads import Message, Role
from workbench.engine.services import Services
from workbench.engine.threads.code_failures import why_failed
from workbench.engine.threads.family import Family
from workbench.engine.threads.work import Work

REMINDER = "reminder"
"""The name of what is no definition's: a message for the thread itself."""


class EffectCode:
    """Lives in the engine's loop."""

    def __init__(self, services: Services, family: Family) -> None:
        self._services = services
        self._family = family

    def find(self, work: Work, name: str) -> EffectDefinition:
        """Raises UserError when there is none."""
        return self._services.catalog.require(EffectDefinition, name, work.agent().package)

    def check(self, definition: EffectDefinition, arguments: JsonValue) -> None:
        """Raises UserError for arguments that it does not take."""
        if not isinstance(arguments, dict):
            raise UserError(f"The arguments of {definition.name} are a mapping of names to values.")
        if definition.input_schema is None:
            return
        mask = self._services.variables.masker.mask
        errors = self._services.catalog.schema_of(definition).validate(arguments, mask=mask)
        if errors:
            lines = "\n".join(f"- {error.path or '(the arguments)'}: {error.message}" for error in errors)
            raise UserError(f"The arguments do not fit {definition.name}:\n{lines}")

    async def perform(self, effect: EffectRun, on_log: Callable[[str], None]) -> str:
        """Why it failed; empty when it did not."""
        await self._services.variables.refresh_masker()
        try:
            work = await self._family.work_of(effect.thread_id)
            if effect.name == REMINDER:
                return await self._remind(work, effect)
            definition = self.find(work, effect.name)
            answer = await work.run_code(definition, effect.arguments, nested=True, on_log=on_log)
        except (UserError, RunError) as error:
            return f"{error.message} {error.hint}".strip()
        return why_failed(answer)

    async def _remind(self, work: Work, effect: EffectRun) -> str:
        if work.thread.terminated_at is not None:
            return "The thread was terminated: it takes no more messages."
        message = Message(
            id=MessageId(effect.id),
            thread_id=effect.thread_id,
            role=Role.USER,
            created_at=self._services.clock.now_us(),
            content=str(parse_object(effect.arguments)["message"]),
            metadata={"reminder": effect.id},
        )
        await self._family.deliver(message)
        return ""
