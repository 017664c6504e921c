"""How a keyring can stand, in words that a person can act on (V4)."""

from __future__ import annotations

from workbench.base.errors import UserError
from workbench.engine.ports import VaultState

_WITHOUT = "Set WORKBENCH_SECRET_<NAME> in the environment instead"

READY = VaultState("ready", "Secrets are kept in the system's keyring.")
LOCKED = VaultState(
    "locked", "The keyring is locked.", "Unlock it (log in, or answer its prompt), then try again."
)
UNMADE = VaultState(
    "locked",
    "The keyring service has no keyring yet, or its prompt for a password was closed.",
    "Make a keyring in the system's password manager, or answer the prompt when a secret is kept.",
)
WAITING = VaultState(
    "waiting",
    "The keyring does not answer: it may be showing a prompt, behind another window perhaps.",
    "Answer the prompt, then try again.",
)
ABSENT = VaultState(
    "absent",
    "There is no keyring that Workbench can reach.",
    f"{_WITHOUT}, or start a keyring service such as GNOME Keyring or KWallet, and then Workbench again.",
)


def refused(name: str, why: str) -> VaultState:
    """A keyring is set up that secrets are not given to."""
    return VaultState("refused", f"The keyring “{name}” is not used: {why}.", f"{_WITHOUT}.")


def failed(what: str) -> VaultState:
    """The keyring is there and did not do what it was asked."""
    return VaultState("refused", f"The keyring failed: {what}.", f"{_WITHOUT}.")


class KeyringUnavailable(UserError):
    """The keyring could not do what was asked; `state` says how it stands."""

    def __init__(self, state: VaultState, detail: str = "") -> None:
        super().__init__(state.message, hint=state.hint, detail=detail)
        self.state = state


class NoTrustedKeyring(KeyringUnavailable):
    """There is no keyring that secrets are given to, so none of ours lies in one."""
