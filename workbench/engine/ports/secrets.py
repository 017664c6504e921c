"""What keeps secrets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from workbench.base.ids import ThreadId
from workbench.domain.variables import Place, Scope


@dataclass(frozen=True, slots=True)
class VaultState:
    """How the keyring stands, in a state a view can draw and words a person can act on (V4)."""

    name: Literal["ready", "locked", "waiting", "absent", "refused"]
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class SecretKey:
    """Which secret: `account/NAME`, `<project>/instance/NAME` or `<project>/thread/<thread>/NAME` (V4)."""

    scope: Scope
    name: str
    thread_id: ThreadId | None = None


class SecretVault(Protocol):
    """Where secret values lie. Never raises for a designed state: it answers, and `state()` says how it stands."""

    async def state(self) -> VaultState: ...

    async def get(self, key: SecretKey) -> tuple[str, Place] | None:
        """The value and where it lies: session, then keyring, then (instance scope) `WORKBENCH_SECRET_<NAME>`.

        A value of the session is the person's latest word: keeping one in the keyring ends it.
        """
        ...

    async def set(self, key: SecretKey, value: str, *, session_only: bool = False) -> Place:
        """Keep a value and say where. Raises UserError with the state's words when it cannot."""
        ...

    async def delete(self, key: SecretKey) -> None:
        """Forget a value everywhere. Raises UserError when the keyring may hold it and cannot be asked now."""
        ...
