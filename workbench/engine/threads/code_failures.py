"""Why an author's code beside tools failed, in words: one way to say it of hooks, handlers and effects (T8)."""

from __future__ import annotations

import re

from workbench.engine.ports import Died, HostAnswer, Raised, Returned, Unavailable


def why_failed(answer: HostAnswer) -> str:
    """A sentence; empty when the code did not fail."""
    match answer:
        case Returned(is_error=False):
            return ""
        case Returned(text=text):
            return text.decode() or "It failed."
        case Raised(type=type, message=message, stack=stack):
            words = f"{type}: {message}" if message else type
            place = _place(stack)
            return f"{words} ({place})" if place else words
        case Died(reason=reason):
            return f"Its process {reason}."
        case Unavailable(message=message):
            return message
        case _:
            return "It was stopped."


def _place(stack: str) -> str:
    """Where it was raised: the innermost frame, which Python's stacks tell last and those of JavaScript first."""
    python = _PYTHON.findall(stack)
    javascript = _JAVASCRIPT.search(stack)
    path, line = python[-1] if python else javascript.groups() if javascript else ("", "")
    return f"{path}, line {line}" if path else ""


_PYTHON = re.compile(r'^ *File "([^"\n]+)", line (\d+)', re.MULTILINE)
_JAVASCRIPT = re.compile(r"^ *at (?:.* \()?([^()\s]+):(\d+):\d+\)?$", re.MULTILINE)
