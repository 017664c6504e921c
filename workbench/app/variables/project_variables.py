"""The verbs of variables: what manual calls see of them, values at the scopes that a person may set, `.env` files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from workbench.app.variables.env_file import (
    EnvImported,
    EnvItem,
    plan_of_import,
    read_env_file,
    read_env_text,
)
from workbench.app.variables.variable_lines import VariableLine, variable_lines
from workbench.app.variables.variable_names import fault_of_name
from workbench.base.errors import UserError
from workbench.base.ids import ThreadId
from workbench.domain.definitions import VariableSpec
from workbench.domain.listing import Listing
from workbench.domain.variables import Scope, VariableRow, VariableType
from workbench.engine.bench import bench_layers
from workbench.engine.engine import Engine
from workbench.engine.ports import SecretVault, VaultState


class ProjectVariables:
    """Belongs to an open project and to its loop. Values are set at account, instance or (for manual calls) thread
    scope (V3, V4); any other scope raises UserError, for what it holds stands in a file."""

    def __init__(
        self, engine: Engine, vault: SecretVault, listings: Callable[[], tuple[Listing, ...]]
    ) -> None:
        self._engine = engine
        self._store = engine.services.store
        self._variables = engine.services.variables
        self._vault = vault
        self._listings = listings

    async def lines(self) -> tuple[VariableLine, ...]:
        """Every declared or set variable as manual calls see it, missing ones first."""
        layers = await bench_layers(self._store)
        return await variable_lines(self._variables, self._listings(), layers)

    async def set(
        self,
        name: str,
        value: str,
        scope: Scope = Scope.INSTANCE,
        type: VariableType | None = None,
        *,
        session_only: bool = False,
    ) -> VariableRow:
        """Set a value; a name that has no type yet takes that of its declarations.

        Raises UserError for what cannot be a name, unless a definition has it, and when a secret cannot be kept.
        """
        if name not in self._names() and (fault := fault_of_name(name)):
            raise UserError(fault)
        return await self._variables.set(
            name,
            value,
            scope,
            type=type or self._declared_type(name),
            thread_id=await self._thread_of(scope),
            session_only=session_only,
        )

    async def unset(self, name: str, scope: Scope) -> bool:
        """Remove a value; False when there was none."""
        return await self._variables.unset(name, scope, await self._thread_of(scope))

    async def reveal(self, name: str, scope: Scope) -> str | None:
        """The plain value at one scope, for a person who asked to see it."""
        return await self._variables.reveal(name, scope, await self._thread_of(scope))

    async def read_env(self, file: Path) -> str:
        """The text of a `.env` file. Raises UserError when it cannot be read."""
        return await asyncio.to_thread(read_env_text, file)

    async def plan_env(self, text: str, scope: Scope = Scope.INSTANCE) -> tuple[EnvItem, ...]:
        """What `import_env` would do with each name. Raises UserError naming an unreadable line."""
        thread_id = await self._thread_of(scope)
        rows = self._variables.rows()
        places = {row.name: row.place for row in rows if (row.scope, row.thread_id) == (scope, thread_id)}
        return plan_of_import(text, places, self._names())

    async def import_env(
        self, text: str, scope: Scope = Scope.INSTANCE, *, names: Collection[str] | None = None
    ) -> EnvImported:
        """Set the variables of a `.env` text, of which only `names` if given; what fails holds up no other.

        Raises UserError naming an unreadable line; then nothing was set.
        """
        values = dict(read_env_file(text))
        done: list[str] = []
        failed: dict[str, str] = {}
        for name in values if names is None else [name for name in values if name in names]:
            try:
                await self.set(name, values[name], scope)
            except UserError as error:
                failed[name] = error.message
            else:
                done.append(name)
        return EnvImported(tuple(done), failed)

    async def vault_state(self) -> VaultState:
        """How the keyring stands."""
        return await self._vault.state()

    async def _thread_of(self, scope: Scope) -> ThreadId | None:
        if scope is Scope.THREAD:
            return (await self._engine.bench()).id
        if scope in (Scope.ACCOUNT, Scope.INSTANCE):
            return None
        raise UserError(f"Values of {scope} scope stand in its definition.", hint="Edit the file.")

    def _names(self) -> frozenset[str]:
        """The variables that are declared or set."""
        return frozenset(spec.name for spec in self._declared()) | self._valued()

    def _valued(self) -> frozenset[str]:
        """The variables that have a value at some scope."""
        return frozenset(row.name for row in self._variables.rows())

    def _declared(self) -> Iterator[VariableSpec]:
        for listing in self._listings():
            if listing.definition is not None:
                yield from listing.definition.variables

    def _declared_type(self, name: str) -> VariableType | None:
        types = {spec.type for spec in self._declared() if spec.name == name}
        if not types or name in self._valued():
            return None
        return VariableType.SECRET if VariableType.SECRET in types else VariableType.TEXT
