"""Multi-line texts that can sit indented in the code."""

from __future__ import annotations

import textwrap


class _Prompt:
    """Takes away the common indentation and the line breaks beside the quotes; all else stays as written."""

    def __call__(self, text: str) -> str:
        lines = textwrap.dedent(text).split("\n")
        if len(lines) > 1 and not lines[0].strip():
            del lines[0]
        if len(lines) > 1 and not lines[-1].strip():
            del lines[-1]
        return "\n".join(lines)

    def lines(self, text: str) -> list[str]:
        """The same text as a list of lines."""
        return self(text).split("\n")


prompt = _Prompt()
