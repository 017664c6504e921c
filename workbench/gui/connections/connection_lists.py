"""The lists of a connection's document: what its server lists, and the messages that went over it."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.domain.connections import ConnectionState, ConnectionStatus, ConnectionTool, WireMessage
from workbench.gui.controls.heads import Column
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER

MARKS: Mapping[ConnectionState, Mark] = {
    ConnectionState.CONNECTING: Mark.RUNNING,
    ConnectionState.READY: Mark.SUCCEEDED,
    ConnectionState.WAITING_FOR_VARIABLE: Mark.NEEDS_VARIABLE,
    ConnectionState.FAILED: Mark.FAILED,
    ConnectionState.STOPPED: Mark.STOPPED,
}
WORDS: Mapping[ConnectionState, str] = {
    ConnectionState.CONNECTING: "Connecting",
    ConnectionState.READY: "Connected",
    ConnectionState.WAITING_FOR_VARIABLE: "Needs a variable",
    ConnectionState.FAILED: "Not connected",
    ConnectionState.STOPPED: "Stopped",
}

_NAME, _ABOUT = DOCUMENT_GUTTER, DOCUMENT_GUTTER + 220
_WHO, _WHAT, _TEXT = DOCUMENT_GUTTER, DOCUMENT_GUTTER + 84, DOCUMENT_GUTTER + 290
_SIZE, _AT = 104, 18
"""Where columns end, from the right edge."""

TOOL_HEADS = (Column("Name", _NAME), Column("Description", _ABOUT))
MESSAGE_HEADS = (
    Column("From", _WHO),
    Column("Method", _WHAT),
    Column("Message", _TEXT),
    Column("Size", -_SIZE, right=True),
    Column("Time", -_AT, right=True),
)


def about(status: ConnectionStatus) -> str:
    """What there is to say of a connection in a line, beside its state."""
    parts = (
        status.server,
        f"MCP {status.protocol}" if status.protocol else "",
        f"pid {status.pid}" if status.pid else "",
        amounts.count(status.tools, "tool") if status.state is ConnectionState.READY else "",
        f"tried again at {amounts.moment(status.retry_at)}" if status.retry_at is not None else "",
        "" if status.advertises else "not offered to models",
    )
    return " · ".join(filter(None, parts))


class ToolsModel(ListedRows[ConnectionTool]):
    def name(self, row: ConnectionTool) -> str:
        return row.name

    def words(self, row: ConnectionTool) -> str:
        return ", ".join(filter(None, (row.name, row.problem or row.description)))

    def tip(self, row: ConnectionTool) -> str:
        return row.problem or row.description


class ToolsPainter(RowPainter[ConnectionTool]):
    def paint_row(self, line: Line, row: ConnectionTool, look: Look) -> None:
        line.text(row.name, _NAME, _ABOUT - _NAME - 12, "ink2" if row.problem else "ink", theme.data())
        words, role = (row.problem, "err") if row.problem else (row.title or row.description, "ink2")
        line.text(" ".join(words.split()), _ABOUT, line.width - _ABOUT - 18, role)


class MessagesModel(ListedRows[WireMessage]):
    """Oldest first; `add` keeps what is chosen in its place."""

    def name(self, row: WireMessage) -> str:
        return row.method

    def words(self, row: WireMessage) -> str:
        return f"{who(row)}, {what(row)}, {amounts.size(row.size)}, {amounts.moment(row.at)}"

    def tip(self, row: WireMessage) -> str:
        return ""


def who(row: WireMessage) -> str:
    return "Workbench" if row.is_ours else "Server"


def what(row: WireMessage) -> str:
    """The method, and how the message stands to it."""
    if row.is_error:
        return f"{row.method} failed"
    is_answer = row.id and '"method"' not in row.text[:200]
    return f"{row.method} answered" if is_answer else row.method


class MessagesPainter(RowPainter[WireMessage]):
    def paint_row(self, line: Line, row: WireMessage, look: Look) -> None:
        line.text(who(row), _WHO, _WHAT - _WHO - 8, "ink" if row.is_ours else "ink2")
        line.text(what(row), _WHAT, _TEXT - _WHAT - 12, "err" if row.is_error else "ink", theme.data())
        end = line.width - _SIZE - 60
        line.text(row.text[:400], _TEXT, end - _TEXT, "ink2", theme.data())
        for words, right in ((amounts.size(row.size), _SIZE), (amounts.moment(row.at), _AT)):
            line.text(words, line.width - right - 86, 86, "ink2", theme.small(), align=paint.RIGHT)
