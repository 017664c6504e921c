"""What an archive of a history is: a zip file of JSON lines, files by their hash, and a manifest that tells of all."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from pydantic import AwareDatetime, Field

from workbench.base.ids import ThreadId
from workbench.domain.handed_over import KINDS
from workbench.domain.value import Value

FORMAT = "workbench-history"
VERSION = 1
SUFFIX = ".zip"
MANIFEST = "manifest.json"

LONGEST_LINE = 256 * 1024 * 1024
"""Bytes of one value, which is read as a whole."""

LARGEST_THUMBNAIL = 16 * 1024 * 1024

_EARLIEST, _LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
"""What can be told in any time zone."""

_BLOB = re.compile(r"blobs/[0-9a-f]{64}")


class Member(Value):
    """One member of the archive. `size` in bytes, unpacked."""

    size: int = Field(ge=0)
    sha256: str


class HandedThread(Value):
    """A thread that was chosen; those below it come along."""

    id: ThreadId
    agent: str
    name: str = ""


class Manifest(Value):
    """What an archive holds. `counts` are rows by kind, `calls` those of the bench."""

    format: str = FORMAT
    version: int = VERSION
    workbench: str
    exported_at: AwareDatetime = Field(ge=_EARLIEST, lt=_LATEST)
    project: str
    threads: tuple[HandedThread, ...] = ()
    calls: int = 0
    counts: Mapping[str, int] = Field(default_factory=dict[str, int])
    members: Mapping[str, Member] = Field(default_factory=dict[str, Member])

    @property
    def exported_us(self) -> int:
        """When it was exported, in microseconds since the epoch."""
        return round(self.exported_at.timestamp() * 1_000_000)


def lines_name(kind: str) -> str:
    """The member that holds the rows of a kind."""
    return f"{kind}.jsonl"


def blob_name(sha256: str) -> str:
    """The member that holds bytes of that hash."""
    return f"blobs/{sha256}"


def is_member_name(name: str) -> bool:
    """Whether an archive may hold this beside its manifest."""
    return _BLOB.fullmatch(name) is not None or name in {lines_name(kind) for kind in KINDS}


def workbench_version() -> str:
    return importlib.metadata.version("agent-tool-workbench")
