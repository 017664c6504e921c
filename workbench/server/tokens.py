"""The token that a server asks for (H1)."""

from __future__ import annotations

import os
import secrets

from workbench.base.errors import UserError
from workbench.domain.tokens import TOKEN, TOKEN_VARIABLE


def server_token() -> str:
    """The token of WORKBENCH_TOKEN, else a new one. Raises UserError for one that is none."""
    given = os.environ.get(TOKEN_VARIABLE)
    if given is None:
        return secrets.token_urlsafe(24)
    if not TOKEN.fullmatch(given):
        raise UserError(
            f"{TOKEN_VARIABLE} is no token: at least 8 printable characters without spaces.",
            hint="Leave it unset, and a token is made.",
        )
    return given
