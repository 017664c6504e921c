"""Ids that sort by the time they were made (UUIDv7), typed by what they name."""

from __future__ import annotations

import os
import re
import string
import threading
import time
from typing import NewType

ProjectId = NewType("ProjectId", str)
ThreadId = NewType("ThreadId", str)
MessageId = NewType("MessageId", str)
CallId = NewType("CallId", str)
RequestId = NewType("RequestId", str)
EffectId = NewType("EffectId", str)

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]")

_lock = threading.Lock()
_last = 0
_random = b""
_DIGITS = 32
_POOL = 4096
"""Random bytes are taken from the system in pages: one system call for 512 ids."""


def uuid7() -> str:
    """A fresh UUIDv7 in its 36-character form; strictly increasing within this process.

    Layout: 48 bits of milliseconds, 12 bits of the fraction of the millisecond (bumped when two ids fall
    together, so that order never depends on chance), 62 random bits.
    """
    global _last, _random
    now = time.time_ns()
    stamp = (now // 1_000_000 << 12) | ((now % 1_000_000) * 4096 // 1_000_000)
    with _lock:
        _last = stamp = max(stamp, _last + 1)
        if not _random:
            _random = os.urandom(_POOL)
        taken, _random = _random[:8], _random[8:]
    random = int.from_bytes(taken) >> 2
    value = (stamp >> 12) << 80 | 0x7 << 76 | (stamp & 0xFFF) << 64 | 0b10 << 62 | random
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def made_at(id: str) -> int | None:
    """When an id was made, in microseconds since 1970 (whole milliseconds); None when it does not say."""
    digits = id.replace("-", "").rsplit("_", 1)[-1]
    if len(digits) != _DIGITS or digits[12] != "7" or not set(digits) <= set(string.hexdigits):
        return None
    return int(digits[:12], 16) * 1000


def new_call_id(tool_name: str) -> CallId:
    """`tool_<name>_<id>` (H1), whatever the name is. The id part alone already sorts by time."""
    name = _NOT_IN_IDS.sub("-", tool_name)[:64]
    return CallId(f"tool_{name}_{uuid7().replace('-', '')}")
