"""The list of what a server was asked: when, what, and how it answered."""

from __future__ import annotations

from workbench.domain.serving import RequestLine
from workbench.gui.controls.heads import Column
from workbench.gui.controls.row_model import ListedRows
from workbench.gui.controls.row_view import Look, RowPainter
from workbench.gui.style import amounts, paint, theme
from workbench.gui.style.paint import Line
from workbench.gui.style.tokens import DOCUMENT_GUTTER

_AT, _METHOD, _PATH = DOCUMENT_GUTTER, DOCUMENT_GUTTER + 96, DOCUMENT_GUTTER + 166
_STATUS, _TOOK = 104, 18
"""Where columns end, from the right edge."""
_REFUSED = 400

REQUEST_HEADS = (
    Column("Time", _AT),
    Column("Method", _METHOD),
    Column("Path", _PATH),
    Column("Status", -_STATUS, right=True),
    Column("Took", -_TOOK, right=True),
)


class RequestsModel(ListedRows[RequestLine]):
    """Oldest first."""

    def name(self, row: RequestLine) -> str:
        return row.path

    def words(self, row: RequestLine) -> str:
        took = amounts.duration(row.duration_ms)
        who = f", by {row.caller}" if row.caller else ""
        return f"{amounts.moment(row.at)}, {row.method} {row.path}, status {row.status}, {took}{who}"

    def tip(self, row: RequestLine) -> str:
        return f"{row.path}\nby {row.caller}" if row.caller else row.path


class RequestsPainter(RowPainter[RequestLine]):
    def paint_row(self, line: Line, row: RequestLine, look: Look) -> None:
        line.text(amounts.moment(row.at), _AT, _METHOD - _AT - 8, "ink2")
        line.text(row.method, _METHOD, _PATH - _METHOD - 8, font=theme.data())
        line.text(row.path, _PATH, line.width - _STATUS - 60 - _PATH, font=theme.data())
        role = "err" if row.status >= _REFUSED else "ink"
        status = str(row.status) if row.status else "no answer"
        for words, right, tint in (
            (status, _STATUS, role),
            (amounts.duration(row.duration_ms), _TOOK, "ink2"),
        ):
            line.text(words, line.width - right - 76, 76, tint, align=paint.RIGHT)
