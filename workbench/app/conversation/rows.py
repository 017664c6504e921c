"""The lines that a conversation is shown in: heads, texts, files, calls and what is unfolded under them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from workbench.app.conversation.called import Called
from workbench.app.conversation.said import Said
from workbench.domain.calls import AttachmentRef


@dataclass(slots=True, eq=False)
class Head:
    """Who speaks from here on. `at` in microseconds since the epoch."""

    said: Said
    depth: int
    side: str = ""
    name: str = ""
    note: str = ""
    at: int = 0


class Tone(Enum):
    """How a text stands there."""

    PLAIN = "plain"
    QUIET = "quiet"
    """Reasoning, silent and queued messages."""
    FAILED = "failed"


@dataclass(slots=True, eq=False)
class Text:
    """A part of a message's text, as markdown. `writing`: more of it is coming."""

    said: Said
    depth: int
    text: str = ""
    tone: Tone = Tone.PLAIN
    writing: bool = False


@dataclass(slots=True, eq=False)
class File:
    """An attachment of a message, or of a call's result."""

    said: Said
    depth: int
    ref: AttachmentRef


@dataclass(slots=True, eq=False)
class Picture:
    """The image of the attachment above it."""

    said: Said
    depth: int
    ref: AttachmentRef


@dataclass(slots=True, eq=False)
class Call:
    """A call on one line."""

    said: Said
    depth: int
    called: Called


@dataclass(slots=True, eq=False)
class Fact:
    """One thing about a call that is unfolded, on one line."""

    said: Said
    depth: int
    called: Called
    label: str
    text: str = ""


@dataclass(slots=True, eq=False)
class Fold:
    """What is shown on demand. `part` is its name in `Said.opened`."""

    said: Said
    depth: int
    part: str
    words: str = ""
    is_open: bool = False


class Sign(Enum):
    """What a note is about."""

    RUNNING = "running"
    WAITING = "waiting"
    WARNING = "warning"
    STOPPED = "stopped"
    FAILED = "failed"
    CUT = "cut"


@dataclass(slots=True, eq=False)
class Note:
    """What became of a message, in words."""

    said: Said
    depth: int
    sign: Sign
    words: str = ""


Row = Head | Text | File | Picture | Call | Fact | Fold | Note
