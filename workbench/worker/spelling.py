"""Both spellings of a name: snake_case as Python has it, camelCase as the sources do."""

from __future__ import annotations

import re
from typing import Any


def snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class CamelCase:
    """Every public name also in camelCase."""

    def __getattr__(self, name: str) -> Any:
        known_as = snake_case(name)
        if name.startswith("_") or known_as == name:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self, known_as)
