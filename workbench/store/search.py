"""Full-text search: documents are indexed a little after they are committed, and found newest first."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import chain

from workbench.domain.calls import Call
from workbench.domain.pages import CallFilter, CallPage, CallSummary, Hit
from workbench.domain.threads import Message
from workbench.store.connection import WriterConnection, transaction
from workbench.store.deletion import PARTS, note_traces
from workbench.store.payloads import unpack
from workbench.store.reads import SUMMARY, conditions, fetcher, summary

PART_CHARACTERS = 32 * 1024
INDEXED_CHARACTERS = 16 * 1024 * 1024
"""What of one value is indexed: of a longer one the end is not found, and in exchange it costs seconds, not minutes."""

STEP_CHARACTERS = 256 * 1024
"""About this much is indexed in one transaction: a commit that comes meanwhile waits for some milliseconds."""

_MIN_PREFIX = 3
_SNIPPET_WORDS = 16
IS_INDEXED = f"NOT EXISTS (SELECT 1 FROM unindexed WHERE document = search.rowid / {PARTS})"  # noqa: S608
"""What waits to be indexed again is not found by what it was before."""

_PLACES = ("arguments", "result", "log")
_MARK, _END = "\x02", "\x03"
"""Around a found word in a snippet: no text that a person reads holds them."""
_DOCUMENT_COST = 500
"""A small document costs something, too; in characters."""

_WAITING = "SELECT document, stamp FROM unindexed LIMIT 100"
_IS_CURRENT = "SELECT 1 FROM unindexed WHERE document = ? AND stamp = ?"
_DONE = "DELETE FROM unindexed WHERE document = ? AND stamp = ?"
_PUT_PART = "INSERT OR REPLACE INTO search (rowid, arguments, result, log, message) VALUES (?, ?, ?, ?, ?)"

_PARTS_OF = "SELECT rowid FROM search WHERE rowid BETWEEN ? AND ?"
_LENGTH = (
    "SELECT length(arguments) + length(result) + length(log) + length(message) FROM search WHERE rowid = ?"
)


def query_of(text: str) -> str:
    """What a person typed as an FTS5 query for calls; see `words_query`."""
    return words_query(" ".join(_PLACES), text)


def words_query(columns: str, text: str) -> str:
    """What a person typed as an FTS5 query of these columns: every word must be there, one of three letters may go on.

    Each word is a quoted phrase, so nothing in it is an operator: `C++`, `NEAR(`, `foo-bar` and `"` are words.
    Empty when the text holds nothing that could be found.
    """
    words: list[str] = []
    for word in text.replace("\0", " ").split():
        letters = re.sub(r"[\W_]", "", word)
        if letters:
            quoted = '"' + word.replace('"', '""') + '"'
            words.append(quoted + ("*" if len(letters) >= _MIN_PREFIX else ""))
    return f"{{{columns}}} : ({' AND '.join(words)})" if words else ""


def find_calls(connection: sqlite3.Connection, filter: CallFilter, limit: int, key: str | None) -> CallPage:
    """One page of the calls that hold the filter's text, newest first, each once with the words around a hit."""
    query = query_of(filter.text)
    if not query:
        return CallPage(rows=())
    where, values = conditions(filter)
    snippets = ", ".join(
        f"snippet(search, {at}, '{_MARK}', '{_END}', '…', {_SNIPPET_WORDS})" for at in range(len(_PLACES))
    )
    sql = f"""
        SELECT {snippets}, {SUMMARY}
        FROM search CROSS JOIN call ON call.seq = search.rowid / {2 * PARTS}
        WHERE search MATCH ? AND search.rowid < ? AND {IS_INDEXED}{where} ORDER BY search.rowid DESC LIMIT ?"""  # noqa: S608
    found: dict[int, CallSummary] = {}
    before = int(key) * 2 * PARTS if key is not None else _end_of_calls(connection)
    while len(found) <= limit:
        wanted = limit + 1 - len(found)
        rows = connection.execute(sql, (query, before, *values, wanted)).fetchall()
        for columns in rows:
            row = columns[len(_PLACES) :]
            found.setdefault(row[0], summary(row, _hit(columns)))
            before = row[0] * 2 * PARTS  # on to the call before this one: its other parts add nothing
        if len(rows) < wanted:
            break
    more = len(found) > limit
    page = tuple(found.items())[:limit]
    return CallPage(rows=tuple(row for _, row in page), next_key=str(page[-1][0]) if more else None)


def _end_of_calls(connection: sqlite3.Connection) -> int:
    """The first rowid of the index after every call: messages have higher ones, far more of them."""
    newest = connection.execute("SELECT max(seq) FROM call").fetchone()[0] or 0
    return (newest + 1) * 2 * PARTS


def _hit(snippets: Sequence[str]) -> Hit:
    """The first place that has a word of the query, with the marks taken out of its text."""
    place, marked = next(
        ((place, text) for place, text in zip(_PLACES, snippets, strict=False) if _MARK in text),
        (_PLACES[0], snippets[0]),
    )
    text = ""
    marks: list[tuple[int, int]] = []
    for at, piece in enumerate(marked.split(_MARK)):
        word, end, rest = piece.partition(_END) if at else ("", "", piece)
        if end:
            marks.append((len(text), len(text) + len(word)))
        text += word + rest
    return Hit(place=place, text=text, marks=tuple(marks))


def count_calls(connection: sqlite3.Connection, filter: CallFilter) -> int:
    query = query_of(filter.text)
    if not query:
        return 0
    where, values = conditions(filter)
    join = f"CROSS JOIN call ON call.seq = search.rowid / {2 * PARTS}" if where else ""
    sql = f"""
        SELECT count(DISTINCT search.rowid / {2 * PARTS}) FROM search {join}
        WHERE search MATCH ? AND search.rowid < ? AND {IS_INDEXED}{where}"""  # noqa: S608
    return connection.execute(sql, (query, _end_of_calls(connection), *values)).fetchone()[0]


class Indexer:
    """Brings the index up to date in short steps; it runs in the writer's thread."""

    def __init__(self) -> None:
        self._work: Iterator[int] = iter(())

    def step(self, connection: WriterConnection) -> bool:
        """Index some documents, or some more of a long one. False when nothing waits."""
        try:
            with transaction(connection, flush=False):  # what a power cut takes is indexed again
                room = STEP_CHARACTERS
                while room > 0:
                    cost = next(self._work, None)
                    if cost is None:
                        waiting = connection.execute(_WAITING).fetchall()
                        if not waiting:
                            return False
                        self._work = chain.from_iterable(_index(connection, *row) for row in waiting)
                    room -= cost or _DOCUMENT_COST
        except BaseException:
            self._work = iter(())  # what it did was taken back; the document still waits
            raise
        return True


def _index(connection: sqlite3.Connection, document: int, stamp: int) -> Iterator[int]:
    """Replace what the index holds of a document, a part at a time; yields each part's length.

    A document that changed meanwhile is left: it waits again, under a new stamp.
    """
    first = document * PARTS
    for (rowid,) in connection.execute(_PARTS_OF, (first, first + PARTS - 1)).fetchall():
        (length,) = connection.execute(_LENGTH, (rowid,)).fetchone() or (0,)
        connection.execute("DELETE FROM search WHERE rowid = ?", (rowid,))
        yield length
    texts = (
        _message_texts(connection, document // 2) if document % 2 else _call_texts(connection, document // 2)
    )
    if texts is None:
        note_traces(connection)
    for number, row in enumerate(_parts(texts or ())):
        if number and connection.execute(_IS_CURRENT, (document, stamp)).fetchone() is None:
            return
        connection.execute(_PUT_PART, (first + number, *row))
        yield sum(map(len, row))
    connection.execute(_DONE, (document, stamp))


def _parts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Texts side by side, cut into parts that the index can take one by one."""
    cuts = [_cut(text) for text in texts]
    for _ in range(PARTS):
        row = [next(cut, "") for cut in cuts]
        if not any(row):
            return
        yield row


def _cut(text: str) -> Iterator[str]:
    """Pieces of a text that end at a blank where there is one, so that no word is torn."""
    start = 0
    while start < min(len(text), INDEXED_CHARACTERS):
        end = start + PART_CHARACTERS
        if end < len(text):
            blank = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
            end = blank + 1 if blank > start else end
        piece = text[start:end]
        yield piece if piece.isascii() else piece.encode("utf-8", "replace").decode()
        start = end


def _call_texts(connection: sqlite3.Connection, seq: int) -> Sequence[str] | None:
    row = connection.execute("SELECT payload, spilled FROM call WHERE seq = ?", (seq,)).fetchone()
    if row is None:
        return None
    call = unpack(Call, row, fetcher(connection))
    arguments = call.arguments
    if call.arguments_run not in {None, arguments}:
        arguments = f"{arguments}\n{call.arguments_run}"
    result = ""
    if call.result is not None:
        failure = call.result.failure
        result = call.result.text or call.result.json_text or ""
        if failure is not None:
            result = "\n".join(dict.fromkeys((result, failure.message, failure.stack)))
    return (arguments, result, call.log, "")


def _message_texts(connection: sqlite3.Connection, seq: int) -> Sequence[str] | None:
    row = connection.execute("SELECT payload, spilled FROM message WHERE seq = ?", (seq,)).fetchone()
    if row is None:
        return None
    message = unpack(Message, row, fetcher(connection))
    return ("", "", "", message.content or "")
