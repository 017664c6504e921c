"""`workbench thread compare`: two threads by what they say, as a page for people or as JSON."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli.opening import nothing_kept, opened
from workbench.cli.output import amount, duration, one_line, print_json, print_text
from workbench.cli.records import totals_row
from workbench.cli.session import Exit, json_option, project_options
from workbench.cli.thread_ids import thread_id_of

if TYPE_CHECKING:
    from workbench.app.results.comparison import Part
    from workbench.app.threads.compared_threads import ComparedThreads, ThreadSide
    from workbench.app.threads.thread_comparison import Pair
    from workbench.app.threads.thread_entries import Entry

_LINES = 12
"""Lines that are shown of an entry that only one thread has."""
_WIDE = 160


@click.command(short_help="Compare two threads by what they say.")
@click.argument("a", metavar="A")
@click.argument("b", metavar="[B]", default="", required=False)
@json_option
@project_options
def compare(project: Path, a: str, b: str, *, as_json: bool) -> int:
    """Compare the threads A and B by what was said and called in them; ids and times are no difference.

    Without B a fork or a replay is compared with the thread that it came of. Ends with 0 when they say the same, 1 when
    they differ, 2 when nothing or the same thread was named to compare with, 3 when there is no such thread.
    """
    compared = asyncio.run(_compare(project, a, b))
    if as_json:
        print_json(_as_json(compared))
    else:
        print_text("\n".join(_lines(compared)))
    return Exit.OK if compared.comparison.same else Exit.FAILED


async def _compare(project: Path, a: str, b: str) -> ComparedThreads:
    from workbench.app.threads.compared_threads import compare_threads, with_original

    async with opened(project, read_only=nothing_kept(project), load=False) as wb:
        left = await thread_id_of(wb, a)
        if b:
            return await compare_threads(wb, left, await thread_id_of(wb, b))
        return await compare_threads(wb, *await with_original(wb, left))


# --- for people


def _lines(compared: ComparedThreads) -> Iterator[str]:
    for name, side in (("A", compared.a), ("B", compared.b)):
        about = one_line(side.thread.name or side.words, 60)
        yield f"{name}  {side.thread.id}  {side.thread.agent}{_came_of(side, compared)}  {about}".rstrip()
    yield f"\n{_verdict(compared)}\n"
    yield from _totals(compared)
    for stretch, is_common in compared.stretches():
        yield ""
        if stretch.equal:
            common = " from the common beginning" if is_common else ""
            yield f"  {stretch.words}{common}"
        else:
            for pair in stretch.pairs:
                yield from _pair_lines(pair)


def _came_of(side: ThreadSide, compared: ComparedThreads) -> str:
    origin = side.thread.forked_from
    if side is not compared.b or origin is None or origin.thread_id != compared.a.thread.id:
        return ""
    return " (replay of A)" if side.thread.replay is not None else " (fork of A)"


def _totals(compared: ComparedThreads) -> Iterator[str]:
    rows = [("", "A", "B"), *zip(_HEADS, _numbers(compared.a), _numbers(compared.b), strict=True)]
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    for row in rows:
        yield f"   {row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}".rstrip()


_HEADS = ("Steps", "Calls", "Failed calls", "Tokens in", "Tokens out", "Cost", "Worked")


def _numbers(side: ThreadSide) -> tuple[str, ...]:
    totals, usage = side.totals, side.totals.usage
    counts = (totals.requests, totals.calls, totals.failed_calls, usage.input_tokens, usage.output_tokens)
    cost = f"${usage.cost:f}" if usage.cost is not None else "-"
    return *(f"{count:,}" for count in counts), cost, duration(round(totals.worked_ms))


def _verdict(compared: ComparedThreads) -> str:
    from workbench.app.threads.thread_comparison import Match

    comparison = compared.comparison
    first = comparison.first_difference
    if first is None:
        return "They say the same."
    counts = (
        (comparison.count(Match.EQUAL), "equal"),
        (comparison.count(Match.CHANGED), "changed"),
        (comparison.count(Match.ONLY_A), "only in A"),
        (comparison.count(Match.ONLY_B), "only in B"),
        (comparison.count(Match.NOT_RUN), "not run in the other"),
    )
    told = ", ".join(f"{count:,} {what}" for count, what in counts if count)
    return f"They differ first in entry {comparison.pairs.index(first) + 1:,}, {_name(first.either)}: {told}."


def _name(entry: Entry) -> str:
    return f"the call of {entry.who}" if entry.is_call else f"the message of the {entry.who}"


def _pair_lines(pair: Pair) -> Iterator[str]:
    entry = pair.either
    inset = "  " * entry.depth
    if pair.a is not None and pair.b is not None:
        yield f"~ {inset}{_who(entry)}: differs in {', '.join(pair.changed)}"
        for part in pair.differences():
            yield from (f"  {inset}  {line}" for line in _part_lines(part, alone=len(pair.changed) == 1))
        return
    sign, where = ("-", "A") if pair.a is not None else ("+", "B")
    yield f"{sign} {inset}{_who(entry)}: only in {where}"
    for title, text in entry.parts.items():
        lines = text.splitlines()
        head = "" if title == "text" else f"{title}: "
        yield from (
            f"{sign} {inset}  {head if not at else ''}{one_line(line, _WIDE)}"
            for at, line in enumerate(lines[:_LINES])
        )
        if len(lines) > _LINES:
            yield f"{sign} {inset}  … {amount(len(lines) - _LINES, 'more line')}"


def _who(entry: Entry) -> str:
    return f"→ {entry.who}" if entry.is_call else entry.prompt or entry.who


def _part_lines(part: Part, *, alone: bool) -> Iterator[str]:
    from workbench.app.results.differences import Change

    if not alone:
        yield f"{part.title.lower()}:"
    for pair in part.pairs:
        if pair.change is Change.SKIPPED:
            yield f"  … {amount(pair.old_at, 'equal line')}"
        elif pair.change is Change.SAME:
            yield f"  {one_line(pair.old, _WIDE)}"
        else:
            if pair.old_at:
                yield f"- {one_line(pair.old, _WIDE)}"
            if pair.new_at:
                yield f"+ {one_line(pair.new, _WIDE)}"
    if part.note:
        yield part.note


# --- for programs


def _as_json(compared: ComparedThreads) -> dict[str, object]:
    comparison = compared.comparison
    first = comparison.first_difference
    return {
        "same": comparison.same,
        "firstDifference": comparison.pairs.index(first) if first is not None else None,
        "common": compared.common,
        "a": _side_row(compared.a),
        "b": _side_row(compared.b),
        "entries": [
            {
                "match": pair.match.value,
                "changed": list(pair.changed),
                "a": _entry_row(pair.a),
                "b": _entry_row(pair.b),
            }
            for pair in comparison.pairs
        ],
    }


def _side_row(side: ThreadSide) -> dict[str, object]:
    forked_from = side.thread.forked_from
    return {
        "threadId": side.thread.id,
        "agent": side.thread.agent,
        "name": side.thread.name,
        "status": side.thread.status,
        "forkedFrom": forked_from.to_json() if forked_from is not None else None,
        "workedMs": round(side.totals.worked_ms),
        "totals": totals_row(side.totals),
    }


def _entry_row(entry: Entry | None) -> dict[str, object] | None:
    if entry is None:
        return None
    return {
        "messageId": entry.message_id,
        "callId": entry.call_id,
        "who": entry.who,
        "side": entry.side or None,
        "prompt": entry.prompt or None,
        "depth": entry.depth,
        "parts": dict(entry.parts),
    }
