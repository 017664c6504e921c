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
            from difflib import get_close_matches

            near = get_close_matches(known_as, (one for one in dir(self) if not one.startswith("_")), n=1)
            hint = f". Did you mean {near[0]!r}?" if near else ""
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{hint}")
        return getattr(self, known_as)
