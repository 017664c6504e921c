"""The log that is kept with a call: its beginning, up to a bound that its last line names."""

from __future__ import annotations

LOG_LIMIT = 1_000_000
"""Characters of log kept with a call; the events hold what came after, too."""


def longer_log(log: str, text: str) -> str:
    """`log` with `text` behind it; one that has reached its bound stays as it is."""
    if len(log) >= LOG_LIMIT:
        return log
    kept = log + text
    if len(kept) <= LOG_LIMIT:
        return kept
    return kept[:LOG_LIMIT] + f"\n… the log goes on; its first {LOG_LIMIT:,} characters are kept.\n"


def lines_of(log: str) -> tuple[int, bool]:
    """How many lines are kept, the last one counted when it is not empty, and whether more were printed."""
    kept = log[:LOG_LIMIT]
    return kept.count("\n") + bool(kept and not kept.endswith("\n")), len(log) > LOG_LIMIT
