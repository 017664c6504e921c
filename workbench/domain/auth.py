"""Who somebody is to the tools: the one a session was begun for, a caller, or who approved a call."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from workbench.domain.value import Value

LOCAL = "local"
"""The person at this machine, and the programs that open the project here."""


class Auth(Value):
    """A `principal` with what is known of it, as JSON values."""

    principal: str = Field(default=LOCAL, min_length=1)
    attributes: Mapping[str, object] = Field(default_factory=dict[str, object])

    def may_use_session_of(self, owner: Auth) -> bool:
        """Whether a direct call may be bound to the session (H7): only by its owner, or by whoever is here.

        One that is nobody's in particular is for every caller that is let in at all.
        """
        return owner.principal in (LOCAL, self.principal) or self.principal == LOCAL

    def to_json(self) -> dict[str, object]:
        """As `ctx` sees it."""
        return {"principal": self.principal, "attributes": dict(self.attributes)}
