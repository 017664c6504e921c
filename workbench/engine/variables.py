"""Variables: which value a name has, where it came from, and what must never be shown (V1-V6)."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.base.errors import UserError
from workbench.base.ids import ThreadId
from workbench.base.masker import Masker
from workbench.domain.changes import Changes
from workbench.domain.definitions import VariableSpec
from workbench.domain.variables import Place, Resolved, Scope, VariableRow, VariableType
from workbench.domain.writes import DeleteVariable, PutVariable
from workbench.engine.bus import Bus
from workbench.engine.known_secrets import KnownSecrets
from workbench.engine.ports import AccountStore, SecretKey, SecretVault, Store, VaultState

ENVIRONMENT_PREFIX = "WORKBENCH_SECRET_"

LOOK_AGAIN_SECONDS = 2.0

_NO_NAMES: frozenset[str] = frozenset()
_NO_ENV: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Layers:
    """What a call can see, beside the account and the instance.

    `threads` is its own thread and then the ancestors; a name in `scoped` never reaches an ancestor (V2).
    `tool`, `agent` and `prompt` are the env maps of those definitions.
    """

    threads: tuple[ThreadId, ...] = ()
    scoped: frozenset[str] = _NO_NAMES
    tool: Mapping[str, str] = field(default_factory=lambda: _NO_ENV)
    agent: Mapping[str, str] = field(default_factory=lambda: _NO_ENV)
    prompt: Mapping[str, str] = field(default_factory=lambda: _NO_ENV)


@dataclass(frozen=True, slots=True)
class _Hit:
    scope: Scope
    type: VariableType
    place: Place
    value: str | None
    key: SecretKey | None = None


class Variables:
    """All values of a project: the rows of both stores, held in memory, and the vault behind the secret ones."""

    def __init__(
        self,
        store: Store,
        accounts: AccountStore,
        vault: SecretVault,
        bus: Bus,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._vault = vault
        self._bus = bus
        self._environ = environ
        self._rows: dict[tuple[Scope, str, ThreadId | None], VariableRow] = {}
        self._known = KnownSecrets()
        self._unread: set[tuple[Scope, str, ThreadId | None]] = set()
        """Secrets that are set and were not read yet, for instance because the keyring is locked."""
        self._reading = asyncio.Lock()
        for name, value in self._environment_secrets():
            self._known.add(name, value)
        self._change = asyncio.Event()
        self.generation = 0
        """Grows with every value that is set or removed."""

    async def changed_since(self, generation: int) -> None:
        """Return when a value was set or removed after `generation` was read, or a moment later.

        That moment is for a keyring that is unlocked elsewhere, which nobody tells.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_AGAIN_SECONDS):
                while self.generation == generation:
                    await self._change.wait()

    async def load(self) -> None:
        """Read the rows of both stores; again after another process wrote them."""
        rows = [*await self._store.variables(), *await self._accounts.variables()]
        kept = {key: row for key, row in self._rows.items() if row.place is Place.SESSION}
        self._rows = kept | {_row_key(row): row for row in rows}
        self._unread = {key for key, row in self._rows.items() if row.type is VariableType.SECRET}
        self._wake()

    @property
    def masker(self) -> Masker:
        """Hides every secret that was in hand so far (V6)."""
        return self._known.masker

    async def refresh_masker(self) -> Masker:
        """Read every secret that is set and not read yet, so that none can slip through, and hide it from now on.

        What a locked keyring keeps to itself is asked for again the next time.
        """
        if self._unread:
            async with self._reading:
                for scope, name, thread_id in tuple(self._unread):
                    found = await self._vault.get(SecretKey(scope, name, thread_id))
                    if found is not None:
                        self._known.add(name, found[0])
                        self._unread.discard((scope, name, thread_id))
        return self._known.masker

    @property
    def unread(self) -> tuple[str, ...]:
        """The names of secrets that could not be read yet, which `masker` cannot hide (V6)."""
        return tuple(sorted({name for _, name, _ in self._unread}))

    def rows(self) -> tuple[VariableRow, ...]:
        """Every value that is set, secrets without their value."""
        return tuple(self._rows.values())

    async def resolve(self, name: str, layers: Layers, spec: VariableSpec | None = None) -> Resolved:
        """What `name` is for somebody who sees `layers`; value None when nothing resolves (V1, V2, V5)."""
        hits = list(self._hits(name, layers, spec))
        for index, hit in enumerate(hits):
            value, place = hit.value, hit.place
            if hit.key is not None:
                found = await self._vault.get(hit.key)
                if found is None:
                    # It is set here and cannot be read: another scope's value would be a wrong one.
                    return Resolved(name=name, type=hit.type, scope=hit.scope, place=hit.place)
                value, place = found
            if hit.type is VariableType.SECRET and value is not None:
                self._known.add(name, value)
            overrides = tuple(lower.scope for lower in hits[index + 1 :])
            return Resolved(
                name=name, type=hit.type, value=value, scope=hit.scope, place=place, overrides=overrides
            )
        declared = spec.type if spec else VariableType.SECRET
        if spec is not None and spec.default is not None:
            return Resolved(
                name=name, type=declared, value=spec.default, place=Place.DEFINITION, is_default=True
            )
        return Resolved(name=name, type=declared)

    async def missing(self, specs: Iterable[VariableSpec], layers: Layers) -> list[VariableSpec]:
        """Those of them that are required and have no value for somebody who sees `layers` (C5)."""
        return [
            spec
            for spec in specs
            if spec.required and (await self.resolve(spec.name, layers, spec)).value is None
        ]

    def is_set(self, name: str) -> bool:
        """Whether a value of this name is kept at any scope."""
        return any(row.name == name for row in self._rows.values())

    async def type_of(self, name: str, layers: Layers, spec: VariableSpec | None = None) -> VariableType:
        """Secret unless known to be text (V3)."""
        for hit in self._hits(name, layers, spec):
            return hit.type
        return spec.type if spec else VariableType.SECRET

    async def set(
        self,
        name: str,
        value: str,
        scope: Scope,
        *,
        type: VariableType | None = None,
        thread_id: ThreadId | None = None,
        session_only: bool = False,
    ) -> VariableRow:
        """Keep a value; without `type` a known name keeps its type and a new one is secret (V3).

        Raises UserError when a secret cannot be kept (see the vault's state).
        """
        if not name:
            raise UserError("A variable needs a name.")
        key = (scope, name, thread_id)
        before = self._rows.get(key)
        kind = type or self._known_type(name, before)
        if kind is VariableType.SECRET:
            self._known.add(name, value)
            place = await self._vault.set(SecretKey(scope, name, thread_id), value, session_only=session_only)
            row = VariableRow(scope=scope, name=name, type=kind, place=place, thread_id=thread_id)
        else:
            if before is not None and before.type is VariableType.SECRET:
                await self._vault.delete(SecretKey(scope, name, thread_id))
            row = VariableRow(scope=scope, name=name, type=kind, value=value, thread_id=thread_id)
        # A value that lives for the session only must not leave a row that promises one next time.
        if row.place is not Place.SESSION:
            await self._write(row)
        self._rows[key] = row
        self._changed()
        return row

    @contextlib.asynccontextmanager
    async def copied(self, seen: Layers, target: ThreadId) -> AsyncGenerator[Sequence[PutVariable]]:
        """While inside, the values that a thread has of its own or sees from those above it are kept in the vault for
        another thread, too; whoever commits these writes inside gives them to it (T21).

        Raises UserError when a secret cannot be read or kept.
        """
        rows: list[VariableRow] = []
        try:
            for row in self._of_threads(seen):
                rows.append(await self._copy(row, target))  # noqa: PERF401 -- what was kept before one fails is known
            yield [PutVariable(row) for row in rows if row.place is not Place.SESSION]
        except BaseException:
            for row in rows:
                if row.type is VariableType.SECRET:
                    await self._vault.delete(_secret_key(row))
            raise
        if rows:
            self._rows.update((_row_key(row), row) for row in rows)
            self._changed()

    def _of_threads(self, seen: Layers) -> list[VariableRow]:
        """The nearest value of each name that threads have of their own."""
        names = sorted({row.name for row in self._rows.values() if row.scope is Scope.THREAD})
        of_each = (
            (self._rows.get((Scope.THREAD, name, one)) for one in _threads_for(name, seen)) for name in names
        )
        nearest = (next(filter(None, rows), None) for rows in of_each)
        return [row for row in nearest if row is not None]

    async def _copy(self, row: VariableRow, target: ThreadId) -> VariableRow:
        copy = row.model_copy(update={"thread_id": target})
        if row.type is not VariableType.SECRET:
            return copy
        found = await self._vault.get(_secret_key(row))
        if found is None:
            raise UserError(
                f"The secret {row.name} of the thread cannot be read, so that no other one can have it.",
                hint="Unlock the keyring, or set the variable anew.",
            )
        value, place = found
        self._known.add(row.name, value)
        kept = await self._vault.set(_secret_key(copy), value, session_only=place is Place.SESSION)
        return copy.model_copy(update={"place": kept})

    async def unset(self, name: str, scope: Scope, thread_id: ThreadId | None = None) -> bool:
        """Remove a value; False when there was none."""
        row = self._rows.pop((scope, name, thread_id), None)
        if row is None:
            return False
        if row.type is VariableType.SECRET:
            await self._vault.delete(_secret_key(row))
        if scope is Scope.ACCOUNT:
            await self._accounts.delete_variable(name)
        else:
            await self._store.commit(DeleteVariable(scope, name, thread_id))
        self._changed()
        return True

    async def reveal(self, name: str, scope: Scope, thread_id: ThreadId | None = None) -> str | None:
        """The plain value at one scope, for a person who asked to see it."""
        row = self._rows.get((scope, name, thread_id))
        if row is not None and row.type is VariableType.TEXT:
            return row.value
        found = await self._vault.get(SecretKey(scope, name, thread_id))
        if found is None:
            return None
        self._known.add(name, found[0])
        return found[0]

    async def vault_state(self) -> VaultState:
        """How the keyring stands."""
        return await self._vault.state()

    async def restore(self, name: str, layers: Layers) -> str | None:
        """The value behind a mask's reference, when a masked call runs again (V6)."""
        return (await self.resolve(name, layers)).value

    def _hits(self, name: str, layers: Layers, spec: VariableSpec | None) -> Iterable[_Hit]:
        """Every scope that may hold a value, in the one order of V1."""
        declared = spec.type if spec else None
        for thread_id in _threads_for(name, layers):
            yield from self._row_hit(Scope.THREAD, name, thread_id)
        for scope, env in (
            (Scope.TOOL, layers.tool),
            (Scope.AGENT, layers.agent),
            (Scope.PROMPT, layers.prompt),
        ):
            if name in env:
                yield _Hit(scope, declared or VariableType.SECRET, Place.DEFINITION, env[name])
        yield from self._row_hit(Scope.ACCOUNT, name, None)
        yield from self._row_hit(Scope.INSTANCE, name, None)
        variable = ENVIRONMENT_PREFIX + name
        if variable in self._environ:
            value = self._environ[variable]
            yield _Hit(Scope.INSTANCE, VariableType.SECRET, Place.ENVIRONMENT, value)

    def _row_hit(self, scope: Scope, name: str, thread_id: ThreadId | None) -> Iterable[_Hit]:
        row = self._rows.get((scope, name, thread_id))
        if row is not None:
            key = _secret_key(row) if row.type is VariableType.SECRET else None
            yield _Hit(scope, row.type, row.place, row.value, key)

    def _environment_secrets(self) -> list[tuple[str, str]]:
        return [
            (name.removeprefix(ENVIRONMENT_PREFIX), value)
            for name, value in self._environ.items()
            if name.startswith(ENVIRONMENT_PREFIX)
        ]

    async def _write(self, row: VariableRow) -> None:
        if row.scope is Scope.ACCOUNT:
            await self._accounts.put_variable(row)
        else:
            await self._store.commit(PutVariable(row))

    def _known_type(self, name: str, before: VariableRow | None) -> VariableType:
        """The type that a value has already at this scope, else at another, else secret."""
        rows = [before] if before else [row for row in self._rows.values() if row.name == name]
        types = {row.type for row in rows}
        return VariableType.TEXT if types == {VariableType.TEXT} else VariableType.SECRET

    def _wake(self) -> None:
        self.generation += 1
        self._change.set()
        self._change = asyncio.Event()

    def _changed(self) -> None:
        self._wake()
        self._bus.changed(Changes(variables=True))


def _threads_for(name: str, layers: Layers) -> tuple[ThreadId, ...]:
    """The threads of which somebody sees a value of this name, nearest first (V2)."""
    return layers.threads[:1] if name in layers.scoped else layers.threads


def _row_key(row: VariableRow) -> tuple[Scope, str, ThreadId | None]:
    return row.scope, row.name, ThreadId(row.thread_id) if row.thread_id else None


def _secret_key(row: VariableRow) -> SecretKey:
    return SecretKey(row.scope, row.name, ThreadId(row.thread_id) if row.thread_id else None)
