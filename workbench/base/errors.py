"""The error tree: four classes of trouble, told apart by who can mend them.

    WorkbenchError
    ├── UserError    the input or the environment is wrong; the person can mend it
    │   └── NotThere     nothing has the name that was given
    ├── UsageError   the embedding program called us wrongly
    ├── RunError     a limit was met, the work was cancelled, or a peer is gone
    └── BugError     we are wrong; the details belong in a report

A tool's failure is none of these: it is data (`workbench.domain.calls.ToolFailure`).
"""

from __future__ import annotations


class WorkbenchError(Exception):
    """Trouble with a message fit to show.

    `message` says what is wrong and where, `hint` what to do next, `detail` what Copy details gives.
    """

    def __init__(self, message: str, *, hint: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class UserError(WorkbenchError):
    """The person's input or environment is wrong, and the message says how to mend it."""


class NotThere(UserError):
    """Nothing has the name, or the id, that was given."""


class UsageError(WorkbenchError):
    """The embedding program broke a promise of the interface."""


class RunError(WorkbenchError):
    """A limit was met, the work was cancelled, or a peer is gone."""


class BugError(WorkbenchError):
    """A promise we made to ourselves is broken."""
