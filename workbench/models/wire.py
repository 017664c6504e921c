"""A request as it goes over the wire, and as a command line that sends the same."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.base.errors import UserError

KEY = "KEY-THAT-STANDS-IN"
"""What stands where the key goes."""


@dataclass(frozen=True, slots=True)
class Wire:
    """An HTTP request without its key. Header names are in lower case."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes

    def curl(self, key_variable: str | None) -> str:
        """A command for a shell that has the key in this variable; None: no key is sent.

        Raises UserError for a body that is no text.
        """
        try:
            body = self.body.decode()
        except UnicodeDecodeError:
            raise UserError("What is sent is no text, so no command line can carry it.") from None
        lines = [f"curl -X {self.method} {shlex.quote(self.url)}"]
        for name, value in self.headers.items():
            if KEY not in value:
                lines.append(f"-H {shlex.quote(f'{name}: {value}')}")
            elif key_variable is not None:
                lines.append(f'-H "{name}: {value.replace(KEY, f"${key_variable}")}"')
        lines.append(f"--data-binary {shlex.quote(body)}")
        return " \\\n  ".join(lines)
