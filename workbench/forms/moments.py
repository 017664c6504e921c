"""Dates and times as the texts that JSON Schema's formats ask for."""

from __future__ import annotations

from datetime import date, datetime, time

MOMENTS = ("date", "time", "date-time")
"""The formats that a date or a time is picked for."""


def moment_text(format: str, when: datetime) -> str:
    """`when`, which knows its zone, as text of one of the `MOMENTS`, to the second."""
    whole = when.replace(microsecond=0)
    match format:
        case "date":
            return whole.date().isoformat()
        case "time":
            return _short_zone(whole.timetz().isoformat())
        case _:
            return _short_zone(whole.isoformat())


def read_moment(format: str, text: str) -> datetime | None:
    """What such a text says, in local time where it names no zone; None when it says nothing."""
    try:
        match format:
            case "date":
                return datetime.combine(date.fromisoformat(text), time()).astimezone()
            case "time":
                today = datetime.now().astimezone().date()
                return datetime.combine(today, time.fromisoformat(text)).astimezone()
            case _:
                return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        return None


def _short_zone(text: str) -> str:
    return f"{text.removesuffix('+00:00')}Z" if text.endswith("+00:00") else text
