"""Writes a history as one page for any browser: nothing to run, nothing to load, calls folded, pictures inside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO

from workbench.app.handover.archive import Manifest
from workbench.app.handover.masking import masked, masked_bytes
from workbench.app.handover.pace import Pace
from workbench.app.handover.page_parts import (
    amount,
    anchor,
    call_details,
    call_summary,
    cut,
    data_url,
    safe,
    size,
    text,
    time,
)
from workbench.app.handover.page_style import POLICY, STYLE
from workbench.base.ids import CallId, ThreadId
from workbench.base.masker import Masker
from workbench.base.sentences import shortened
from workbench.domain.calls import AttachmentRef, Call
from workbench.domain.threads import Message, MessageStatus, Role, SentCall, Thread, ThreadStatus
from workbench.store.handing_out import StoredHistory

LARGEST_PICTURE = 2 * 1024 * 1024
LARGEST_FILE = 512 * 1024
MOST_INSIDE = 48 * 1024 * 1024
"""Bytes of pictures and files together that the page carries; those behind are named only."""

_PICTURES = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/svg+xml"}
)
"""A picture cannot run anything, whatever it holds."""

_DEEPEST = 4
_LONGEST, _LOOKED_AT = 60, 10_000
"""Characters of a name, and of the words that it is made of."""
_ROLES = {Role.SYSTEM: "System", Role.USER: "User", Role.ASSISTANT: "Assistant", Role.TOOL: "Result"}
_STATUSES = {
    ThreadStatus.AWAITING_HUMAN: "your turn",
    ThreadStatus.IDLE: "done",
    ThreadStatus.TERMINATED: "ended for good",
}
"""Those that are called something else than what they are kept as."""


class PageWriter:
    """Writes one page into a file; `write` is for a thread of the store's."""

    def __init__(self, stream: BinaryIO, masker: Masker, pace: Pace) -> None:
        self._stream = stream
        self._masker = masker
        self._pace = pace
        self._room = MOST_INSIDE

    def write(self, history: StoredHistory, about: Manifest) -> None:
        """Write what was chosen. Raises RunError when it is not wanted any more."""
        self._pace.expect(history.count())
        about = masked(about, self._masker)
        threads = tuple(masked(thread, self._masker) for thread in history.threads)
        for piece in self._page(history, about, threads):
            self._stream.write(piece.encode())

    def _page(self, history: StoredHistory, about: Manifest, threads: Sequence[Thread]) -> Iterator[str]:
        names = {thread.id: self._name(history, thread) for thread in threads}
        title = _title(threads, names, history.bench_calls)
        yield (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{safe(POLICY)}">\n'
            '<meta name="viewport" content="width=device-width">\n<meta name="referrer" content="no-referrer">\n'
            f"<title>{safe(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
            f'<header><h1 dir="auto">{safe(title)}</h1>\n'
            f'<p class="facts">From {safe(about.project)}, exported {time(about.exported_us)}</p>'
        )
        if len(threads) > 1:
            yield '<ul class="contents">'
            for thread in threads:
                yield f'<li><a href="#{anchor(thread.id)}" dir="auto">{safe(names[thread.id])}</a></li>\n'
            yield "</ul>"
        yield "</header>\n<main>\n"
        links = {
            one.made_by: f'<a href="#{anchor(one.id)}" dir="auto">{safe(names[one.id])}</a>'
            for one in threads
            if one.made_by
        }
        for thread in threads:
            yield f'<section id="{anchor(thread.id)}">'
            if len(threads) > 1:
                yield f'<h2 dir="auto">{safe(names[thread.id])}</h2>\n'
            yield from self._thread(history, thread, links)
        if history.bench is not None:
            yield from self._bench_calls(history)
        yield f"</main>\n<footer>Written by Workbench {safe(about.workbench)}</footer>\n</body>\n</html>\n"

    def _name(self, history: StoredHistory, thread: Thread) -> str:
        """A thread's own name, else the first words that were said in it; and its agent's."""
        said = (message.content for message in history.messages(thread.id) if message.content)
        words = thread.name or shortened(
            " ".join(self._masker.mask(next(said, "")[:_LOOKED_AT]).split()), _LONGEST
        )
        return f"{words} ({thread.agent})" if words else thread.agent

    # --- a thread

    def _thread(self, history: StoredHistory, thread: Thread, links: Mapping[CallId, str]) -> Iterator[str]:
        yield f'<p class="facts">{_facts(thread)}</p>\n'
        shown: set[CallId] = set()
        for message in history.messages(thread.id):
            self._pace.step()
            if message.tool_call_id in shown:
                continue  # it stands in its call
            yield from self._message(history, masked(message, self._masker), links)
            shown.update(sent.id for sent in message.tool_calls)
        yield "</section>\n"

    def _message(
        self, history: StoredHistory, message: Message, links: Mapping[CallId, str]
    ) -> Iterator[str]:
        deep = f" d{min(message.depth, _DEEPEST)}" if message.depth else ""
        failed = " failed" if message.status is MessageStatus.FAILED else ""
        yield f'<article class="said {message.role.value}{deep}{failed}">'
        who = message.prompt if message.role is Role.ASSISTANT and message.prompt else _ROLES[message.role]
        name = f" {message.name}" if message.name and message.role is not Role.TOOL else ""
        yield f'<div><span class="who" dir="auto">{safe(who + name)}</span>{time(message.created_at)}</div>'
        if message.silent:
            yield "<details><summary>A silent message</summary>"
        if message.content:
            yield text(message.content)
        yield from self._attachments(history, message.thread_id, message.attachments)
        for sent in message.tool_calls:
            yield from self._sent_call(history, sent, links.get(sent.id, ""))
        yield ("</details>" if message.silent else "") + "</article>\n"

    def _sent_call(self, history: StoredHistory, sent: SentCall, below: str) -> Iterator[str]:
        call = history.call(sent.id)
        if call is None:
            yield (
                f'<details class="call"><summary><code>{safe(sent.name)}</code>'
                f' <span class="time">no call is kept</span></summary><pre>{cut(sent.arguments)}</pre></details>'
            )
            return
        yield from self._call(history, masked(call, self._masker), below)

    # --- calls

    def _bench_calls(self, history: StoredHistory) -> Iterator[str]:
        yield "<section><h2>Calls by hand</h2>\n"
        for call in history.rows(Call):
            if history.bench is not None and call.thread_id == history.bench.id:
                yield from self._call(history, masked(call, self._masker), "")
        yield "</section>\n"

    def _call(self, history: StoredHistory, call: Call, below: str) -> Iterator[str]:
        self._pace.step()
        yield f'<details class="call">{call_summary(call)}'
        yield from call_details(call)
        if call.result is not None:
            yield from self._attachments(history, call.thread_id, call.result.attachments)
        if below:
            yield f"<p>It began {below}</p>"
        yield "</details>\n"

    # --- files

    def _attachments(
        self, history: StoredHistory, thread_id: ThreadId, attachments: Iterable[AttachmentRef]
    ) -> Iterator[str]:
        for attachment in attachments:
            name = safe(attachment.name)
            is_picture = attachment.mime_type in _PICTURES
            data = self._bytes(
                history, thread_id, attachment, LARGEST_PICTURE if is_picture else LARGEST_FILE
            )
            told = f"{name} ({safe(attachment.mime_type)}, {size(attachment.size)})"
            if data is None:
                yield f'<ul class="files"><li dir="auto">{told}, not in this page</li></ul>'
            elif is_picture:
                yield f'<img alt="{name}" title="{told}" src="{data_url(attachment.mime_type, data)}">'
            else:
                # No browser opens this kind: it can only be saved.
                link = data_url("application/octet-stream", data)
                yield f'<ul class="files"><li dir="auto"><a download="{name}" href="{link}">{told}</a></li></ul>'

    def _bytes(
        self, history: StoredHistory, thread_id: ThreadId, attachment: AttachmentRef, largest: int
    ) -> bytes | None:
        """A file that is small enough to be in the page."""
        file = history.file(thread_id, attachment.path)
        if file is None or file.size > min(largest, self._room):
            return None
        self._room -= file.size
        return b"".join(masked_bytes(history.parts(file), self._masker))


def _title(threads: Sequence[Thread], names: Mapping[ThreadId, str], calls: int) -> str:
    if not threads:
        return amount(calls, "call")
    ids = {thread.id for thread in threads}
    chosen = [thread for thread in threads if thread.parent_id not in ids]
    return names[chosen[0].id] if len(chosen) == 1 else amount(len(chosen), "thread")


def _facts(thread: Thread) -> str:
    status = _STATUSES.get(thread.status, thread.status.value)
    facts = [
        f"begun {time(thread.created_at)}",
        safe(f"{status}: {thread.status_text}" if thread.status_text else status),
    ]
    if thread.forked_from is not None:
        came = "forked from" if thread.replay is None else "a replay of"
        facts.append(f"{came} {safe(thread.forked_from.thread_id)}")
    if thread.imported is not None:
        facts.append(f"imported from {safe(thread.imported.project)} {time(thread.imported.at)}")
    if thread.tags:
        facts.append(safe(", ".join(thread.tags)))
    if thread.dry_run:
        facts.append("dry run")
    if thread.as_of is not None:
        facts.append(f"as of {safe(thread.as_of)}")
    return " · ".join([*facts, safe(thread.id)])
