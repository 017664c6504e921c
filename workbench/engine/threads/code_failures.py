"""Why an author's code beside tools failed, in words: one way to say it of hooks, handlers and effects (T8)."""

from __future__ import annotations

from workbench.engine.ports import Died, HostAnswer, Raised, Returned, Unavailable


def why_failed(answer: HostAnswer) -> str:
    """A sentence; empty when the code did not fail."""
    match answer:
        case Returned(is_error=False):
            return ""
        case Returned(text=text):
            return text.decode() or "It failed."
        case Raised(type=type, message=message):
            return f"{type}: {message}" if message else type
        case Died(reason=reason):
            return f"Its process {reason}."
        case Unavailable(message=message):
            return message
        case _:
            return "It was stopped."
