"""Variables: what kind they are, at which scope a value lies, and which one wins."""

from __future__ import annotations

from enum import StrEnum

from workbench.domain.value import Value


class VariableType(StrEnum):
    TEXT = "text"
    SECRET = "secret"


class Scope(StrEnum):
    """Where a value lies, in the order of resolution: the first hit wins (V1)."""

    THREAD = "thread"
    TOOL = "tool"
    """A prompt's per-tool env."""
    AGENT = "agent"
    PROMPT = "prompt"
    ACCOUNT = "account"
    INSTANCE = "instance"


class Place(StrEnum):
    """Where the bytes of a value are kept."""

    STORE = "store"
    KEYRING = "keyring"
    SESSION = "session"
    ENVIRONMENT = "environment"
    DEFINITION = "definition"


class VariableRow(Value):
    """A value as the store holds it: text with its value, a secret with `value` None and its place (V4)."""

    scope: Scope
    name: str
    type: VariableType
    value: str | None = None
    place: Place = Place.STORE
    thread_id: str | None = None


class Resolved(Value):
    """What a name resolves to. `value` is the plain value: never log, store or show it for a secret.

    `overrides` are the lower scopes that hold a value of their own, nearest first.
    """

    name: str
    type: VariableType
    value: str | None = None
    scope: Scope | None = None
    place: Place | None = None
    is_default: bool = False
    overrides: tuple[Scope, ...] = ()

    def __repr__(self) -> str:
        shown = "…" if self.type is VariableType.SECRET and self.value is not None else repr(self.value)
        return f"Resolved(name={self.name!r}, value={shown}, scope={self.scope})"

    __str__ = __repr__
