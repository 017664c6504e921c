"""Durations, times and sizes as a person reads them in a column."""

from __future__ import annotations

from datetime import datetime

from workbench.app.results.characters import count_hidden

_UNITS = ("bytes", "KB", "MB", "GB")


def duration(milliseconds: float) -> str:
    """`84 ms`, `1.2 s`, `3 min 5 s`, `2 h 7 min`; nothing took less than no time, though clocks are set back."""
    milliseconds = max(0.0, milliseconds)
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def moment(microseconds: int, now: datetime | None = None) -> str:
    """The hour if it was today, else the date with the hour, in local time."""
    then = datetime.fromtimestamp(microseconds / 1_000_000).astimezone()
    today = (now or datetime.now().astimezone()).date()
    if then.date() == today:
        return f"{then:%H:%M:%S}"
    return f"{then:%d %b %H:%M}" if then.year == today.year else f"{then:%Y-%m-%d %H:%M}"


def size(count: int) -> str:
    """`412 bytes`, `4.1 KB`, `12 MB`."""
    amount = float(count)
    for unit in _UNITS:
        if amount < 1000 or unit == _UNITS[-1]:
            whole = unit == "bytes" or amount >= 100
            return f"{amount:.0f} {unit}" if whole else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError("the last unit takes everything")


def count(number: int, one: str, many: str = "") -> str:
    """`1 call`, `3 calls`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def hidden_characters(text: str) -> str:
    """What is said beside a text that holds hidden or look-alike characters, "" beside any other."""
    found = count_hidden(text)
    return count(found, "hidden or look-alike character") if found else ""
