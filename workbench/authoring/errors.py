"""What an author's code may raise or meet: a missing variable, a transient failure, a wrong definition."""

from __future__ import annotations


class MissingVariable(LookupError):
    """`state.env(name)` found no value, and the variable is not declared as optional (V3)."""


class TransientError(Exception):
    """Raise it to say: the same call may well succeed in a moment (C9)."""


class DefinitionError(TypeError):
    """A definition is not written as a definition can be; the message says what to write.

    `code` names what is wrong: `bad-field`, or `old-form` for what an earlier version took.
    """

    def __init__(self, message: str, *, code: str = "bad-field") -> None:
        super().__init__(message)
        self.code = code
