"""Which keyring is used, and what its errors mean. The keyring library is imported here, late, and nowhere else.

Everything here may block, up to a prompt that nobody answers: it runs in the keyring's lane only.
"""

from __future__ import annotations

import configparser
import sys
import traceback
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from typing import Protocol, cast

from workbench.engine.ports import VaultState
from workbench.secrets import states
from workbench.secrets.states import KeyringUnavailable, NoTrustedKeyring


class Keyring(Protocol):
    """The calls of a keyring that are used."""

    def get_password(self, service: str, username: str, /) -> str | None: ...

    def set_password(self, service: str, username: str, password: str, /) -> None: ...

    def delete_password(self, service: str, username: str, /) -> None: ...


TRUSTED = frozenset(
    f"keyring.backends.{name}" for name in ("SecretService", "libsecret", "kwallet", "macOS", "Windows")
)
"""The modules of keyrings that keep secrets encrypted, under the person's login."""


def open_backend() -> Keyring:
    """The system's keyring. Raises NoTrustedKeyring when there is none that secrets may be given to."""
    import keyring
    from keyring.errors import KeyringError

    try:
        found = keyring.get_keyring()
    except (
        ImportError,
        AttributeError,
        ValueError,
        RuntimeError,
        OSError,
        KeyringError,
        configparser.Error,
    ) as error:
        raise KeyringUnavailable(
            states.failed("the one that is set up cannot be loaded"), str(error)
        ) from error
    # A chain hands a read on to any keyring, also to one that keeps plain text: its trusted members are asked directly.
    chained = cast("Sequence[Keyring]", getattr(found, "backends", ()))
    trusted = [
        backend for backend in (cast("Keyring", found), *chained) if type(backend).__module__ in TRUSTED
    ]
    if trusted:
        return trusted[0]
    module = type(found).__module__
    if module == "keyring.backends.fail":
        raise NoTrustedKeyring(states.ABSENT)
    why = (
        "it forgets what it is given"
        if module == "keyring.backends.null"
        else "it may keep secrets as plain text"
    )
    raise NoTrustedKeyring(states.refused(f"{module}.{type(found).__qualname__}", why))


def standing(backend: Keyring) -> VaultState | None:
    """Whether a keyring is locked, asked in a way that never shows a prompt; None where there is no such way."""
    if type(backend).__module__ != "keyring.backends.SecretService":
        return None
    import secretstorage

    with closing(secretstorage.dbus_init()) as bus:
        try:
            collection = secretstorage.get_collection_by_alias(bus, "default")
        except secretstorage.ItemNotFoundException:
            return states.UNMADE
        return states.LOCKED if collection.is_locked() else states.READY


@contextmanager
def translated() -> Generator[None]:
    """Turns what a keyring raises into KeyringUnavailable with the state it means."""
    from keyring.errors import KeyringError

    try:
        yield
    except (KeyringError, OSError, EOFError, *_bus_errors()) as error:
        # The frames hold the value, and a connection that the library leaves open.
        traceback.clear_frames(error.__traceback__)
        raise KeyringUnavailable(_meaning(error), f"{type(error).__name__}: {error}") from error


def _meaning(error: Exception) -> VaultState:
    from keyring.errors import InitError, KeyringError, KeyringLocked, NoKeyringError

    match error:
        case KeyringLocked():
            return states.LOCKED
        case InitError() if type(error.__cause__).__name__ == "PromptDismissedException":
            return states.UNMADE
        case InitError() | NoKeyringError():
            return states.ABSENT
        case KeyringError():
            return states.failed(f"it answered {type(error).__name__}")
        case _:
            return states.failed("its service went away")


def _bus_errors() -> tuple[type[Exception], ...]:
    """What the Secret Service's libraries raise past the keyring library, once they are in use."""
    if "secretstorage" not in sys.modules:
        return ()
    from jeepney.wrappers import DBusErrorResponse
    from secretstorage.exceptions import SecretStorageException

    return SecretStorageException, DBusErrorResponse
