"""How a request came to its answer: each try at each model, what went wrong, the waits between, what was repaired."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from workbench.app.runs.request_parts import words_of
from workbench.domain.requests import Attempt, Request, RequestState
from workbench.gui.controls.layout import Ground
from workbench.gui.controls.sections import Stack, divided, fact, title
from workbench.gui.controls.words import Words
from workbench.gui.results.text_box import TextBox
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER

_MOMENT_MS = 50
"""Less than this between two attempts is no wait."""


class RequestAttempts(Stack):
    """One section an attempt, then what was changed in the history so that it could be sent (T10)."""

    def __init__(self) -> None:
        super().__init__(Ground.BASE)

    def show_request(self, request: Request) -> None:
        sections = [_attempt(request, at) for at in range(len(request.attempts))]
        if not sections:
            sections = [_unasked(request)]
        if request.repairs:
            sections.append(_repairs(request.repairs))
        self.show_pieces(*divided(*sections), 12)


def _attempt(request: Request, at: int) -> list[QWidget | int]:
    attempt = request.attempts[at]
    before = request.attempts[at - 1] if at else None
    count = Words(f"{at + 1} of {len(request.attempts)}", "ink2", theme.small())
    pieces: list[QWidget | int] = [title(_heading(before, attempt), count, gutter=DOCUMENT_GUTTER)]
    failed = attempt.failure is not None
    running = not failed and attempt.ended_at is None and request.state is RequestState.RUNNING
    mark = Mark.FAILED if failed else Mark.RUNNING if running else Mark.SUCCEEDED
    word = "Failed" if failed else "Running" if running else "Answered"
    if not failed and request.state is RequestState.STOPPED:
        mark, word = Mark.STOPPED, "Stopped"
    pieces.append(_fact("State", word, role=mark.role, mark=mark))
    pieces.append(_fact("Model", f"{attempt.model}, {attempt.provider} {attempt.model_id}"))
    pieces.append(_fact("Asked", amounts.moment(attempt.started_at)))
    if before is not None and before.ended_at is not None:
        waited = (attempt.started_at - before.ended_at) / 1000
        if waited >= _MOMENT_MS:
            pieces.append(_fact("After a wait", amounts.duration(waited)))
    if attempt.first_delta_at is not None:
        first = amounts.duration((attempt.first_delta_at - attempt.started_at) / 1000)
        pieces.append(_fact("First piece after", first))
    if attempt.ended_at is not None:
        pieces.append(_fact("Took", amounts.duration((attempt.ended_at - attempt.started_at) / 1000)))
    if attempt.failure is not None:
        status = f", HTTP {attempt.failure.status}" if attempt.failure.status else ""
        pieces.append(_fact("Failure", f"{attempt.failure.kind.value.replace('_', ' ')}{status}"))
        pieces.append(_box(words_of(attempt.failure), f"What went wrong in attempt {at + 1}"))
    return pieces


def _heading(before: Attempt | None, attempt: Attempt) -> str:
    if before is None:
        return "First attempt"
    return "Tried again" if before.model == attempt.model else f"Fell back to {attempt.model}"


def _unasked(request: Request) -> list[QWidget | int]:
    running = request.state is RequestState.RUNNING
    words = "The answer is awaited; attempts are kept when it is there." if running else "No model was asked."
    pieces: list[QWidget | int] = [title("Attempts", gutter=DOCUMENT_GUTTER), _fact("State", words)]
    if request.failure is not None:
        pieces.append(_box(words_of(request.failure), "What went wrong"))
    return pieces


def _repairs(repairs: tuple[str, ...]) -> list[QWidget | int]:
    count = Words(f"{len(repairs):,}", "ink2", theme.small())
    lines = "\n".join(repairs)
    return [
        title("Repaired in what was sent", count, gutter=DOCUMENT_GUTTER),
        _fact("", "The history itself was left as it is.", role="ink2"),
        _box(lines, "Repairs"),
    ]


def _fact(key: str, value: str, *, role: str = "ink", mark: Mark | None = None) -> QWidget:
    return fact(key, value, role=role, mark=mark, gutter=DOCUMENT_GUTTER)


def _box(text: str, name: str) -> TextBox:
    return TextBox(text, name=name, gutter=DOCUMENT_GUTTER, ground=Ground.BASE)
