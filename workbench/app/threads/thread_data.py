"""What a thread keeps beside its messages, as a person looks after it: files, values, and the variables it sees."""

from __future__ import annotations

from workbench.app.variables.variable_lines import VariableLine, variable_lines
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, dump, parse
from workbench.base.ids import ThreadId
from workbench.domain.agents import AgentDefinition, PromptSide
from workbench.domain.changes import Changes
from workbench.domain.listing import Listing
from workbench.domain.prompts import PromptDefinition
from workbench.domain.threads import Thread
from workbench.domain.variables import Scope, VariableType
from workbench.domain.writes import SetValue
from workbench.engine.catalog.reach import reach
from workbench.engine.ports import StoredFile
from workbench.engine.services import Services
from workbench.engine.threads.family import ancestors
from workbench.engine.variables import Layers


class ThreadData:
    """Belongs to the loop that opened the project. `Workbench.thread_data` is one."""

    def __init__(self, services: Services) -> None:
        self._services = services

    # --- values

    async def values(self, thread_id: ThreadId) -> tuple[tuple[str, str], ...]:
        """Every durable value by its key: key and JSON text."""
        return tuple(await self._services.store.values(thread_id))

    async def set_value(self, thread_id: ThreadId, key: str, json_text: str) -> None:
        """Give a key a value; null takes it away, as in code. Raises UserError for what is no JSON."""
        if not key:
            raise UserError("A value needs a key.")
        try:
            value = parse(json_text)
        except JsonError as error:
            raise UserError(
                f"This is no JSON: {error}", hint='A text stands in quotes: "like this".'
            ) from error
        masker = await self._services.variables.refresh_masker()
        kept = None if value is None else masker.mask_json_text(dump(value))
        await self._services.store.commit(SetValue(thread_id, key, kept))
        self._changed(thread_id)

    async def delete_value(self, thread_id: ThreadId, key: str) -> None:
        await self._services.store.commit(SetValue(thread_id, key, None))
        self._changed(thread_id)

    # --- files

    async def files(self, thread_id: ThreadId) -> tuple[StoredFile, ...]:
        """The thread's own file system, by path."""
        return tuple(await self._services.store.files(thread_id))

    # --- variables

    async def variables(self, thread: Thread) -> tuple[VariableLine, ...]:
        """What the thread sees of variables: those that its agent reaches, and those with a value of its own."""
        catalog, variables = self._services.catalog, self._services.variables
        layers = Layers(threads=(thread.id, *await ancestors(self._services.store, thread)))
        names = {row.name for row in variables.rows() if row.thread_id == thread.id}
        listings: tuple[Listing, ...] = ()
        agent = catalog.directory.find(AgentDefinition, thread.agent)
        if agent is not None:
            found = reach(catalog.directory, agent)
            names |= {need.spec.name for need in found.needs}
            env = self._prompt_env(agent)
            layers = Layers(threads=layers.threads, scoped=found.scoped, agent=agent.env, prompt=env)
            listings = tuple(one for one in catalog.listings() if one.definition in found.definitions)
        lines = await variable_lines(variables, listings, layers)
        return tuple(line for line in lines if line.name in names)

    def _prompt_env(self, agent: AgentDefinition) -> dict[str, str]:
        """What the prompts of its sides set."""
        sides = (side for side in (agent.side_b, agent.side_a) if isinstance(side, PromptSide))
        directory = self._services.catalog.directory
        prompts = (directory.find(PromptDefinition, side.prompt, agent.package) for side in sides)
        return {name: value for prompt in prompts if prompt for name, value in prompt.env.items()}

    async def set_variable(
        self,
        thread_id: ThreadId,
        name: str,
        value: str,
        type: VariableType | None = None,
        *,
        session_only: bool = False,
    ) -> None:
        """Give a variable a value of the thread's own (V2, V3)."""
        await self._services.variables.set(
            name, value, Scope.THREAD, type=type, thread_id=thread_id, session_only=session_only
        )

    async def unset_variable(self, thread_id: ThreadId, name: str) -> bool:
        """Take away the thread's own value; False when there was none."""
        return await self._services.variables.unset(name, Scope.THREAD, thread_id)

    def _changed(self, thread_id: ThreadId) -> None:
        self._services.bus.changed(Changes(threads=frozenset({thread_id})))
