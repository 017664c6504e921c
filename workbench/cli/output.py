"""What goes to the terminal: tables for people, tab-separated lines into pipes, JSON for programs."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from workbench.base import exact_json
from workbench.base.errors import WorkbenchError
from workbench.base.sentences import shortened

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_JSON_CONTROLS = re.compile(r"[\x7f-\x9f]")
_GAP = 2
_NARROWEST = 12
_ROW_BREAKS = re.compile(r"[\t\r\n]+")


def plain(text: str) -> str:
    """`text` with control characters spelled out, so that nothing printed can steer the terminal."""
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def one_line(text: str, limit: int = 100) -> str:
    """The first words of `text` on one line, with `…` where it was cut."""
    line = plain(_ROW_BREAKS.sub(" ", text.strip()))
    return shortened(line, limit)


def print_json(value: object, *, compact: bool | None = None) -> None:
    """`value` on stdout: on one line into a pipe or when asked for, else indented."""
    compact = not sys.stdout.isatty() if compact is None else compact
    print_json_text(exact_json.dump(value, indent=None if compact else 2))


def print_json_text(text: str) -> None:
    """JSON text as it is; only what could steer a terminal is escaped, which means the same."""
    _write(_JSON_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def print_text(text: str) -> None:
    """Words for a person, on stdout."""
    _write(plain(text) + "\n")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, stretch: int = -1) -> None:
    """A table with heads on a terminal, nothing where there are no rows; bare tab-separated lines into a pipe.

    The column number `stretch` gives way when the terminal is narrow.
    """
    if not sys.stdout.isatty():
        _write("".join("\t".join(plain(_ROW_BREAKS.sub(" ", cell)) for cell in row) + "\n" for row in rows))
        return
    if not rows:
        return
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [[one_line(cell, 400) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(columns, *cells, strict=True)]
    console = Console(file=sys.stdout)
    over = sum(widths) + _GAP * (len(widths) - 1) - console.width
    widths[stretch] = max(min(widths[stretch], _NARROWEST), widths[stretch] - max(0, over))
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, _GAP, 0, 0))
    for column, width in zip(columns, widths, strict=True):
        table.add_column(column, overflow="ellipsis", no_wrap=True, width=width)
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table, width=sum(widths) + _GAP * len(widths), crop=False)


def say(text: str) -> None:
    """One line for a person on stderr, where it never mixes with a result."""
    sys.stderr.write(plain(text) + "\n")
    sys.stderr.flush()


def say_error(error: WorkbenchError, *, details: bool) -> None:
    """What is wrong, what to do next, and the details for who asked for them."""
    say(f"Error: {error.message}")
    if error.hint:
        say(error.hint)
    if error.detail and details:
        say(error.detail)
    elif error.detail:
        say("(--verbose tells the details.)")


def local_time(microseconds: int) -> str:
    """A stored time as the hour on this machine."""
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def amount(number: int, what: str) -> str:
    """`1 call`, `2 calls`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def duration(milliseconds: int | None) -> str:
    """`84 ms`, `1.2 s`, `3 min 05 s`."""
    if milliseconds is None:
        return ""
    if milliseconds < 1_000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds // 60_000} min {milliseconds % 60_000 // 1000:02} s"


def _write(text: str) -> None:
    # Bytes, so that the encoding of the person's locale can neither refuse a result nor change it.
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.flush()
