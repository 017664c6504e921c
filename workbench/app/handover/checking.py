"""All of an archive is read before any of it is taken in: what its rows say must fit together, and into a store."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.app.handover.archive import LARGEST_THUMBNAIL, lines_name
from workbench.app.handover.archive_reading import Archive, values_in
from workbench.app.handover.pace import Pace
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, parse
from workbench.base.ids import ThreadId
from workbench.domain.calls import Call
from workbench.domain.effects import EffectRun
from workbench.domain.handed_over import (
    KINDS,
    Handed,
    HandedDefinition,
    HandedEvent,
    HandedFile,
    HandedParameters,
    HandedRequest,
    HandedTurn,
    HandedValue,
)
from workbench.domain.threads import Message, SentCall, Thread, ThreadKind
from workbench.engine.calls.thread_files import PathRefused, clean_path

ID = re.compile(
    r"(?:[A-Za-z]+_(?:[A-Za-z0-9_-]{0,64}_)?[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
)
"""How ids are spelled; the last 32 hexadecimal digits make them what they are."""

_LATEST_US = 220_000_000_000_000_000
"""Years with more than four digits are none that can be shown."""


_OF_THE_BENCH = (Message, Call, HandedEvent, HandedFile)

_REFERRING = frozenset(
    {"message_id", "result_message_id", "parent_call_id", "call_id", "tool_call_id", "request_id"}
)
"""Fields that name something of the same thread."""


@dataclass(slots=True)
class Contents:
    """What an archive holds, by its ids."""

    threads: list[ThreadId] = field(default_factory=list[ThreadId])
    bench: ThreadId | None = None
    ids: set[str] = field(default_factory=set[str])
    """Of everything that has one, and of all that its rows refer to: what is not in it must not be found here."""


class Checker:
    """Reads an archive once; `check` raises ArchiveRefused for the first thing that is wrong."""

    def __init__(self, archive: Archive, pace: Pace) -> None:
        self._archive = archive
        self._pace = pace
        self._found = Contents()
        self._known: set[tuple[str, str]] = set()
        """What a row may refer to, or must not be twice."""
        self._above: dict[str, str] = {}
        """Of the rows of one kind: which of them each is below, or was made by."""

    def check(self) -> Contents:
        """What is in it."""
        self._pace.expect(self._archive.unpacked)
        for name, kind in KINDS.items():
            for number, row in self._archive.check_lines(kind, self._pace):
                why = self._why_not(row)
                if why:
                    raise self._archive.refused(f"line {number} of {lines_name(name)} {why}.")
                self._note(row)
            if _goes_round(self._above):
                raise self._archive.refused(f"one of its {name} is below itself.")
            self._above.clear()
        if not {thread.id for thread in self._archive.manifest.threads} <= set(self._found.threads):
            raise self._archive.refused("its manifest names a thread that is not in it.")
        self._archive.check_blobs(self._pace)
        return self._found

    def _note(self, row: Handed) -> None:
        """What a row refers to."""
        if isinstance(row, Thread):  # one that it was forked from, or that is above it, may be elsewhere
            if row.parent_id is not None:
                self._above[row.id] = row.parent_id
            return
        if isinstance(row, Message) and row.parent_id is not None:
            self._above[row.id] = row.parent_id
            self._refer(row.parent_id)
        if isinstance(row, Call) and row.parent_call_id is not None:
            self._above[row.id] = row.parent_call_id
        for value in values_in(row):
            if isinstance(value, SentCall):
                self._refer(value.id)
            for name in _REFERRING & type(value).model_fields.keys():
                self._refer(getattr(value, name))

    def _refer(self, id: str | None) -> None:
        if id is not None and ID.fullmatch(id):
            self._found.ids.add(id)

    def _why_not(self, row: Handed) -> str:
        """What is wrong with a row, "" when nothing is."""
        for value in values_in(row):
            for name in type(value).model_fields:
                time = getattr(value, name)
                if (name == "at" or name.endswith("_at")) and not 0 <= (time or 0) <= _LATEST_US:
                    return "has a time that is none"
        return self._why_not_at_home(row) or self._why_no_id(row) or self._why_not_whole(row)

    def _why_not_at_home(self, row: Handed) -> str:
        """Whether the thread that it belongs to is there."""
        match row:
            case Thread(kind=ThreadKind.BENCH):
                if self._found.bench is not None:
                    return "is a second bench"
                self._found.bench = row.id
                return ""
            case Thread():
                self._found.threads.append(row.id)
                return ""
            case HandedDefinition():
                return ""
            case HandedRequest():
                thread_id = row.request.thread_id
            case HandedEvent():
                thread_id = row.event.thread_id
            case _:
                thread_id = row.thread_id
        if ("thread", thread_id) not in self._known:
            return "belongs to a thread that is not in it"
        if thread_id == self._found.bench and not isinstance(row, _OF_THE_BENCH):
            return "belongs to the bench, which has none"
        return ""

    def _why_no_id(self, row: Handed) -> str:
        match row:
            case HandedRequest():
                own: str = row.request.id
            case Thread() | Message() | Call() | EffectRun():
                own = row.id
            case _:
                return ""
        if ID.fullmatch(own) is None:
            return "has an id that is none of Workbench's"
        if isinstance(row, Thread):
            self._known.add(("thread", own))
        self._found.ids.add(own)
        return self._once("id " + type(row).__name__, own)

    def _why_not_whole(self, row: Handed) -> str:
        match row:
            case HandedTurn():
                return self._why_no_turn(row)
            case HandedParameters():
                return self._once(row.thread_id, f"parameters {row.hash}")
            case HandedRequest():
                return self._why_not_asked(row)
            case HandedFile():
                return self._why_no_file(row)
            case HandedValue():
                try:
                    parse(row.json_text)
                except JsonError as error:
                    return f"is no JSON: {error}"
                return self._once(row.thread_id, f"value {row.key}")
            case _:
                return ""

    def _why_not_asked(self, row: HandedRequest) -> str:
        """What it sent is there, or was not kept."""
        for what in (row.turns, row.parameters and f"parameters {row.parameters}"):
            if what and (row.request.thread_id, what) not in self._known:
                return "sent something that is not in it"
        return ""

    def _why_no_turn(self, row: HandedTurn) -> str:
        if row.before and (row.thread_id, row.before) not in self._known:
            return "follows a turn that does not come before it"
        return self._once(row.thread_id, row.hash)

    def _why_no_file(self, row: HandedFile) -> str:
        try:
            is_clean = clean_path(row.path) == row.path
        except PathRefused:
            is_clean = False
        if not is_clean:
            return f"has a path that is none of a thread's files: {row.path!r}"
        blob = self._archive.blob(row.sha256)
        if blob is None or blob.size != row.size:
            return "is a file whose bytes are not in it"
        if row.thumbnail is not None:
            small = self._archive.blob(row.thumbnail)
            if small is None or small.size > LARGEST_THUMBNAIL:
                return "is a file whose small picture is not in it, or none"
        return self._once(row.thread_id, f"file {row.path}")

    def _once(self, owner: str, what: str) -> str:
        if (owner, what) in self._known:
            return "is there twice"
        self._known.add((owner, what))
        return ""


def _goes_round(above: Mapping[str, str]) -> bool:
    """Whether something is above itself, so that whoever goes up from it never comes to an end."""
    ends: set[str] = set()
    for start in above:
        way: set[str] = set()
        one = start
        while one in above and one not in ends:
            if one in way:
                return True
            way.add(one)
            one = above[one]
        ends |= way
    return False


def refuse_too_large(archive: Archive, free: int) -> None:
    """Raise ArchiveRefused for what the disk has no room for: it unpacks to more than `free` bytes."""
    if archive.unpacked > free:
        raise archive.refused(
            f"it needs {archive.unpacked / 1e9:,.1f} GB of the disk, of which {free / 1e9:,.1f} GB are free.",
            hint="Make room, or do not import it: a history is rarely so large.",
        )


def unfit(archive: Archive, error: Exception) -> UserError:
    """What is said of a value that no row can hold."""
    return archive.refused(f"something in it cannot be kept: {error}.")
