"""A vault in memory: what a keyring does, without one."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import SecretStr

from workbench.base.errors import UserError
from workbench.domain.variables import Place, Scope
from workbench.engine.ports import SecretKey, VaultState

ENVIRONMENT_PREFIX = "WORKBENCH_SECRET_"

READY = VaultState("ready", "Secrets are kept in memory.")


class MemoryVault:
    """A SecretVault whose keyring is a dictionary. Give it another state to see what happens without a keyring (V4)."""

    def __init__(self, *, state: VaultState = READY, environ: Mapping[str, str] | None = None) -> None:
        self._state = state
        self._environ = environ or {}
        self._kept: dict[SecretKey, tuple[SecretStr, Place]] = {}

    def become(self, state: VaultState) -> None:
        """The keyring's state from now on; what it holds stays in it."""
        self._state = state

    async def state(self) -> VaultState:
        return self._state

    async def get(self, key: SecretKey) -> tuple[str, Place] | None:
        value, place = self._kept.get(key, (None, None))
        if value and place and (place is Place.SESSION or self._state.name == "ready"):
            return value.get_secret_value(), place
        if (
            key.scope is Scope.INSTANCE
            and (found := self._environ.get(ENVIRONMENT_PREFIX + key.name)) is not None
        ):
            return found, Place.ENVIRONMENT
        return None

    async def set(self, key: SecretKey, value: str, *, session_only: bool = False) -> Place:
        if not session_only and self._state.name != "ready":
            raise UserError(self._state.message, hint=self._state.hint)
        place = Place.SESSION if session_only else Place.KEYRING
        self._kept[key] = (SecretStr(value), place)
        return place

    async def delete(self, key: SecretKey) -> None:
        self._kept.pop(key, None)
