"""What a dry run and an instant make of calls, and what is wrong with an instant, in words (C10, C11)."""

from __future__ import annotations

import re

from workbench.base.instants import read_instant
from workbench.domain.tools import ToolDefinition

EXAMPLE = "2026-03-01T12:00:00Z"

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_WITHOUT_ZONE = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?")
_SPACED = re.compile(r"\d{4}-\d{2}-\d{2} +\d{2}:\d{2}.*")
_WHOLE = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}.*(Z|[+-]\d{2}(:?\d{2})?)")


def why_no_instant(text: str) -> str:
    """Why a text names no absolute instant, in words for beside its field; "" when it does."""
    if read_instant(text) is not None:
        return ""
    if not text:
        return f"Write an instant, such as {EXAMPLE}."
    if _DATE.fullmatch(text):
        return f"Add a time and a zone: {text}T12:00:00Z."
    if _SPACED.fullmatch(text):
        return "Write a T between the date and the time, without spaces."
    if _WITHOUT_ZONE.fullmatch(text):
        return "Add the zone: Z for UTC, or an offset such as +01:00."
    if _WHOLE.fullmatch(text):
        return "There is no such date, time or zone."
    return f"Write an absolute instant, such as {EXAMPLE}."


def dry_run_words(tool: ToolDefinition) -> str:
    """What a dry run makes of a call of the tool, shortly."""
    if tool.effect == "read":
        return "runs, it only reads"
    if tool.effect == "predicate":
        return "runs if its input reads"
    return "not run, acknowledged" if tool.dry_run == "acknowledgement" else "not run, gives its stub"


def as_of_words(tool: ToolDefinition) -> str:
    """Which arguments of the tool an instant bounds, shortly."""
    return f"bounds {', '.join(tool.time_args)}" if tool.time_args else "bounds nothing of it"
