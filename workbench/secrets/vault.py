"""The vault: a project's and a person's secrets in the system's keyring, with what helps where there is none (V4)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import quote

from pydantic import SecretStr

from workbench.base.clock import Clock, SystemClock
from workbench.base.ids import ProjectId
from workbench.domain.variables import Place, Scope
from workbench.engine.ports import SecretKey, VaultState
from workbench.engine.variables import ENVIRONMENT_PREFIX
from workbench.engine.vault_rules import check_key, check_secret
from workbench.secrets import entries, states
from workbench.secrets.backends import Keyring, open_backend, standing, translated
from workbench.secrets.lane import KeyringLane, Wanted
from workbench.secrets.states import KeyringUnavailable, NoTrustedKeyring

FRESH_SECONDS = 1.0
"""For this long a value that was read is not read again. Another process's change shows after it."""

PATIENCE_SECONDS = 2.0
"""After this long the state is told to be `waiting`, long before a call gives up."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Read:
    value: SecretStr
    at: float


class KeyringVault:
    """A SecretVault over the system's keyring; service `workbench`, accounts as V4 says.

    `timeout` is how many seconds the keyring may take, a prompt of its own included. The keyring is first touched
    when it is first asked, in a thread of its own.
    """

    def __init__(
        self,
        project_id: ProjectId,
        environ: Mapping[str, str] = os.environ,
        *,
        timeout: float = 20.0,
        clock: Clock | None = None,
    ) -> None:
        self._project_id = project_id
        self._environ = environ
        self._clock = clock or SystemClock()
        self._lane = KeyringLane(self._clock, timeout)
        self._session: dict[str, SecretStr] = {}
        self._known: dict[str, _Read] = {}
        self._trouble: VaultState | None = None

    async def state(self) -> VaultState:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                found = await self._lane.run(lambda _: _asked(standing))
        except TimeoutError:  # its turn has not come: an earlier call waits, perhaps for a prompt
            return states.WAITING
        except KeyringUnavailable as error:
            return error.state
        return found or self._trouble or states.READY

    async def get(self, key: SecretKey) -> tuple[str, Place] | None:
        account = self._account(key)
        if account in self._session:
            return self._session[account].get_secret_value(), Place.SESSION
        value = await self._read(account)
        if value is not None:
            return value.get_secret_value(), Place.KEYRING
        if (
            key.scope is Scope.INSTANCE
            and (found := self._environ.get(ENVIRONMENT_PREFIX + key.name)) is not None
        ):
            return found, Place.ENVIRONMENT
        return None

    async def set(self, key: SecretKey, value: str, *, session_only: bool = False) -> Place:
        account = self._account(key)
        check_secret(key, value)
        if session_only:
            self._session[account] = SecretStr(value)
            return Place.SESSION
        self._known.pop(account, None)

        def work(wanted: Wanted) -> bool:
            return _asked(lambda backend: entries.write(backend, account, value, wanted))

        if not await self._run(work):
            raise KeyringUnavailable(states.failed("it gave back another value than it was given"))
        self._session.pop(account, None)
        self._known[account] = _Read(SecretStr(value), self._clock.monotonic())
        return Place.KEYRING

    async def delete(self, key: SecretKey) -> None:
        account = self._account(key)
        self._session.pop(account, None)
        self._known.pop(account, None)

        def work(wanted: Wanted) -> None:
            _asked(lambda backend: entries.delete(backend, account) if wanted else None)

        with suppress(NoTrustedKeyring):
            await self._run(work)

    async def close(self) -> None:
        """Forget every value that is held in memory."""
        self._session.clear()
        self._known.clear()

    async def _read(self, account: str) -> SecretStr | None:
        known = self._known.get(account)
        if known and self._clock.monotonic() - known.at < FRESH_SECONDS:
            return known.value
        try:
            value = await self._run(lambda _: _asked(lambda backend: entries.read(backend, account)))
        except KeyringUnavailable:
            return known.value if known else None  # it was given to us before the keyring was locked
        if value is None:
            self._known.pop(account, None)
            return None
        self._known[account] = _Read(SecretStr(value), self._clock.monotonic())
        return self._known[account].value

    async def _run(self, work: Callable[[Wanted], T]) -> T:
        """Run work in the lane and remember how the keyring stood."""
        try:
            result = await self._lane.run(work)
        except KeyringUnavailable as error:
            self._trouble = error.state
            raise
        self._trouble = None
        return result

    def _account(self, key: SecretKey) -> str:
        check_key(key)
        name = quote(key.name, safe="")  # `#` and `/` have a meaning of their own in an account
        if key.scope is Scope.ACCOUNT:
            return f"account/{name}"
        thread = f"/{key.thread_id}" if key.thread_id else ""
        return f"{self._project_id}/{key.scope}{thread}/{name}"


def _asked(question: Callable[[Keyring], T]) -> T:
    """What the system's keyring answers; its errors as KeyringUnavailable. Blocks."""
    with translated():
        return question(open_backend())
