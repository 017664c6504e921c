"""Pieces of the page as HTML, everything in them escaped."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import escape

from workbench.base.exact_json import JsonError, dump, parse
from workbench.base.sentences import shortened
from workbench.domain.calls import Call, CallState, ToolFailure, ToolResult

LONGEST_TEXT = 200_000
"""Characters of one text; of a longer one the page says how much is left out."""

_PREVIEW = 90
_NOT_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_STATES = {
    CallState.SUCCEEDED: ("✓", "ok", "succeeded"),
    CallState.FAILED: ("✗", "err", "failed"),
    CallState.STOPPED: ("■", "warn", "stopped"),
}
_OPEN = ("●", "run", "under way")


def safe(text: str) -> str:
    """Text that can stand anywhere in the page, in quotes as well."""
    return escape(_NOT_TEXT.sub("\ufffd", text))


def cut(text: str) -> str:
    """`safe`, for a text of any length."""
    if len(text) <= LONGEST_TEXT:
        return safe(text)
    left = len(text) - LONGEST_TEXT
    return f"{safe(text[:LONGEST_TEXT])}\n… {left:,} more characters, which an export as .zip holds."


def text(words: str, kind: str = "text") -> str:
    return f'<div class="{kind}" dir="auto">{cut(words)}</div>'


def code(words: str) -> str:
    return f'<pre dir="auto" tabindex="0">{cut(words)}</pre>'


def json_code(words: str) -> str:
    """JSON text set out in lines; as it is where it is long or no JSON."""
    if len(words) <= LONGEST_TEXT:
        try:
            return code(dump(parse(words), indent=2))
        except JsonError:
            pass
    return code(words)


def time(microseconds: int) -> str:
    """An instant in UTC: the page may be read anywhere."""
    at = datetime.fromtimestamp(microseconds / 1_000_000, UTC)
    return f'<time class="time" datetime="{at:%Y-%m-%dT%H:%M:%SZ}">{at:%Y-%m-%d %H:%M:%S} UTC</time>'


def amount(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def size(count: int) -> str:
    """`812 bytes`, `1.2 MB`."""
    if count < 1_000:
        return amount(count, "byte")
    return f"{count / 1_000:,.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:,.1f} MB"


def data_url(mime_type: str, data: bytes) -> str:
    return f"data:{mime_type};base64,{base64.b64encode(data).decode()}"


def anchor(id: str) -> str:
    return safe(f"thread-{id}")


def call_summary(call: Call) -> str:
    """The line of a folded call."""
    mark, kind, words = _STATES.get(call.state, _OPEN)
    took = "" if call.duration_ms is None else f" · {_duration(call.duration_ms)}"
    stub = " · dry run" if call.stubbed else ""
    shown = shortened(" ".join((call.arguments_run or call.arguments).split()), _PREVIEW)
    return (
        f'<summary><span class="{kind}">{mark} {words}</span> <code>{safe(call.tool)}</code>'
        f' <span class="preview">{safe(shown)}</span> <span class="time">{took}{stub}</span></summary>'
    )


def call_details(call: Call) -> Iterator[str]:
    """What stands in it when it is opened, without its attachments."""
    yield f'<p class="time">{safe(call.id)}, from {safe(call.origin.value)}, {time(call.created_at)}</p>'
    if call.decision is not None:
        said = f"{call.decision.verdict} by {call.decision.by}"
        yield text(f"{said}: {call.decision.reason}" if call.decision.reason else said)
    if call.arguments_run is not None and call.arguments_run != call.arguments:
        yield f"<h3>Arguments as asked for</h3>{json_code(call.arguments)}"
        yield f"<h3>Arguments as run</h3>{json_code(call.arguments_run)}"
    else:
        yield f"<h3>Arguments</h3>{json_code(call.arguments)}"
    for failed in call.failed_attempts:
        yield f"<h3>An attempt before</h3>{text(failed.message, 'failure')}"
    if call.result is not None:
        yield from _result(call.result)
    if call.log:
        yield f"<h3>Log</h3>{code(call.log.rstrip())}"


def _result(result: ToolResult) -> Iterator[str]:
    if result.failure is not None:
        yield f"<h3>Failure: {safe(result.failure.kind.value)}</h3>{text(_failure(result.failure), 'failure')}"
        if result.failure.stack:
            yield code(result.failure.stack.rstrip())
    elif result.json_text is not None:
        yield f"<h3>Result</h3>{json_code(result.json_text)}"
    elif result.text or not result.attachments:
        yield f"<h3>Result</h3>{code(result.text)}"


def _failure(failure: ToolFailure) -> str:
    problems = (f"{error.path or '/'}: {error.message}" for error in failure.errors)
    return "\n".join(filter(None, (failure.message, failure.hint, *problems)))


def _duration(milliseconds: int) -> str:
    if milliseconds < 1_000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds // 60_000} min {milliseconds % 60_000 // 1000:02} s"
