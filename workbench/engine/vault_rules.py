"""What holds for every vault: which keys and values a secret may have (V4)."""

from __future__ import annotations

from workbench.base.errors import UsageError, UserError
from workbench.domain.variables import Scope
from workbench.engine.ports import SecretKey

LONGEST_SECRET = 32_768
"""Characters. The largest secrets in use, keys and service accounts, have a tenth of this."""

SECRET_SCOPES = frozenset({Scope.ACCOUNT, Scope.INSTANCE, Scope.THREAD})


def check_key(key: SecretKey) -> None:
    """Raises UsageError for a key that names no place in a vault."""
    if key.scope not in SECRET_SCOPES or not key.name:
        raise UsageError(f"No vault keeps the secret “{key.name}” at scope {key.scope}.")
    if (key.scope is Scope.THREAD) != (key.thread_id is not None):
        raise UsageError(f"A secret of scope {key.scope} has a thread if, and only if, that is its scope.")


def check_secret(key: SecretKey, value: str) -> None:
    """Raises UserError, without repeating any of it, for a value that no vault can keep."""
    if len(value) > LONGEST_SECRET:
        raise UserError(
            f"The value of {key.name} has {len(value):,} characters; a secret has at most {LONGEST_SECRET:,}.",
            hint="Keep large data in a file, and the key or password to it as the secret.",
        )
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise UserError(
            f"The value of {key.name} holds half of a character (a lone surrogate), which is no text.",
            hint="Copy the value again from where it was made.",
        )
