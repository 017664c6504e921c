"""A vault in memory: what a keyring does, without one."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import SecretStr

from workbench.base.errors import UserError
from workbench.domain.variables import Place, Scope
from workbench.engine.ports import SecretKey, VaultState
from workbench.engine.variables import ENVIRONMENT_PREFIX
from workbench.engine.vault_rules import check_key, check_secret

READY = VaultState("ready", "Secrets are kept in memory.")


class MemoryVault:
    """A SecretVault whose keyring is a dictionary. Give it another state to see life without a keyring (V4)."""

    def __init__(self, *, state: VaultState = READY, environ: Mapping[str, str] | None = None) -> None:
        self._state = state
        self._environ = environ or {}
        self._session: dict[SecretKey, SecretStr] = {}
        self._keyring: dict[SecretKey, SecretStr] = {}

    def become(self, state: VaultState) -> None:
        """The keyring's state from now on; what it holds stays in it."""
        self._state = state

    async def state(self) -> VaultState:
        return self._state

    async def get(self, key: SecretKey) -> tuple[str, Place] | None:
        check_key(key)
        if key in self._session:
            return self._session[key].get_secret_value(), Place.SESSION
        if key in self._keyring and self._state.name == "ready":
            return self._keyring[key].get_secret_value(), Place.KEYRING
        if (
            key.scope is Scope.INSTANCE
            and (found := self._environ.get(ENVIRONMENT_PREFIX + key.name)) is not None
        ):
            return found, Place.ENVIRONMENT
        return None

    async def set(self, key: SecretKey, value: str, *, session_only: bool = False) -> Place:
        check_key(key)
        check_secret(key, value)
        if session_only:
            self._session[key] = SecretStr(value)
            return Place.SESSION
        self._raise_unless_ready()
        self._keyring[key] = SecretStr(value)
        self._session.pop(key, None)
        return Place.KEYRING

    async def delete(self, key: SecretKey) -> None:
        check_key(key)
        self._session.pop(key, None)
        if self._state.name in {"locked", "waiting"}:
            self._raise_unless_ready()
        self._keyring.pop(key, None)

    def _raise_unless_ready(self) -> None:
        if self._state.name != "ready":
            raise UserError(self._state.message, hint=self._state.hint)
