"""The token that a server asks for (H1)."""

from __future__ import annotations

import os
import re
import secrets

from workbench.base.errors import UserError
from workbench.domain.tokens import TOKEN_VARIABLE

_TOKEN = re.compile(r"[\x21-\x7e]{8,}")


def server_token() -> str:
    """The token of WORKBENCH_TOKEN, else a new one. Raises UserError for one that is none."""
    given = os.environ.get(TOKEN_VARIABLE)
    if given is None:
        return secrets.token_urlsafe(24)
    if not _TOKEN.fullmatch(given):
        raise UserError(
            f"{TOKEN_VARIABLE} is no token: at least 8 printable characters without spaces.",
            hint="Leave it unset, and a token is made.",
        )
    return given
