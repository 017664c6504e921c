"""Reading a `.env` file: names and values, or the line that is neither."""

from __future__ import annotations

import io

from dotenv.parser import parse_stream

from workbench.base.errors import UserError


def read_env_file(text: str) -> tuple[tuple[str, str], ...]:
    """Name and value of every variable, in order; a name without a value has the empty text.

    Raises UserError naming the line that cannot be read. Its text is not repeated: it may hold a secret.
    """
    pairs: list[tuple[str, str]] = []
    for binding in parse_stream(io.StringIO(text)):
        if binding.error:
            raise UserError(
                f"Line {binding.original.line} is not NAME=value.",
                hint="Mend the line; nothing was imported.",
            )
        if binding.key is not None:
            pairs.append((binding.key, binding.value or ""))
    return tuple(pairs)
