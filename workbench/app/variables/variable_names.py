"""What a person may call a variable: what a shell, a `.env` file and the environment take as a name."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_LONGEST = 128


def fault_of_name(name: str) -> str:
    """Why a new variable cannot have this name, as a sentence; "" when it can."""
    if not name:
        return "A variable needs a name."
    if len(name) > _LONGEST:
        return f"A name has at most {_LONGEST} characters."
    if not _NAME.fullmatch(name):
        return "A name has letters, digits and _ only and begins with no digit, such as API_KEY."
    return ""
