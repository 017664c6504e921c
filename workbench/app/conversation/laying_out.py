"""Which rows show a turn, in their order: what is folded stays one line, what is unfolded stands under it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar, cast

from workbench.app.conversation.called import Called
from workbench.app.conversation.rows import Call, Fact, File, Fold, Head, Note, Picture, Row, Sign, Text, Tone
from workbench.app.conversation.said import Said, Turn
from workbench.app.conversation.speakers import Speakers
from workbench.app.conversation.texts import SHOWN, parts_of
from workbench.domain.calls import AttachmentRef
from workbench.domain.model_requests import ProviderCallPart, ReasoningPart
from workbench.domain.threads import MessageStatus, Role

_LINE = 400
"""Characters of a value that stands on one line."""
P = ParamSpec("P")
R = TypeVar("R")


@dataclass
class RowsOfTurn:
    """Makes the rows of a turn. A row that was there before is the same object, with what it says now."""

    speakers: Speakers
    rows: list[Row] = field(default_factory=list[Row])

    def take(self, turn: Turn, *, opening: bool) -> list[Row]:
        """The rows of one turn; `opening` is the conversation's first."""
        self.rows = []
        self._group(turn.said, 0, opening=opening)
        return self.rows

    def _group(self, group: Sequence[Said], depth: int, *, opening: bool = False) -> None:
        spoken = [said for said in group if not said.is_silent]
        if spoken:
            self._head(spoken, depth, opening=opening)
        silent: list[Said] = []
        for said in group:
            if said.is_silent:
                silent.append(said)
                continue
            self._silent(silent, depth)
            silent = []
            self._said(said, depth)
        self._silent(silent, depth)

    def _head(self, spoken: Sequence[Said], depth: int, *, opening: bool) -> None:
        first = spoken[0]
        row = _kept(first, "head", Head, first, depth)
        row.side = (first.message.side or "").upper()
        row.name, row.at = self.speakers.name(first.message), first.at
        asked = sum(said.message.request_id is not None for said in spoken)
        row.note = self.speakers.note(first.message, requests=asked, opening=opening)
        self.rows.append(row)

    def _silent(self, group: Sequence[Said], depth: int) -> None:
        if not group:
            return
        first, count = group[0], len(group)
        row = _kept(first, "silent", Fold, first, depth, "silent")
        row.is_open = "silent" in first.opened
        row.words = "1 silent message" if count == 1 else f"{count:,} silent messages"
        self.rows.append(row)
        if row.is_open:
            for said in group:
                self._head([said], depth, opening=False)
                self._said(said, depth, Tone.QUIET)

    def _said(self, said: Said, depth: int, tone: Tone = Tone.PLAIN) -> None:
        message = said.message
        if said.trouble:
            self._note(said, depth, Sign.WARNING, said.trouble)
        self._reasoning(said, depth)
        failed = message.status is MessageStatus.FAILED
        if failed and not message.metadata.get("stopped"):
            self._failure(said, depth)
        else:
            aside = said.waiting or message.role is Role.SYSTEM
            self._text(said, depth, Tone.QUIET if aside else tone)
        self._files(said, message.attachments, depth)
        for part in message.answered.parts if message.answered is not None else ():
            if isinstance(part, ProviderCallPart):
                words = f"{part.name} was run by the provider: {part.arguments[:_LINE]}"
                self._note(said, depth, Sign.CUT, words)
        for called in said.calls:
            self._call(said, called, depth)
        if said.coming and not (said.text or said.calls or said.reasoning):
            self._note(said, depth, Sign.RUNNING, "The model is asked")
        if said.waiting:
            self._note(said, depth, Sign.WAITING, "Waits until the thread takes it up")
        if message.metadata.get("stopped"):
            self._note(said, depth, Sign.STOPPED, "Stopped while this was written; no model sees it")

    def _text(self, said: Said, depth: int, tone: Tone) -> None:
        if not said.text:
            return
        parts = parts_of(said.text)
        for at, part in enumerate(parts):
            row = _kept(said, ("text", at), Text, said, depth)
            row.text, row.tone = part, tone
            row.writing = said.coming and at == len(parts) - 1 and not said.calls
            self.rows.append(row)
        if len(said.text) > SHOWN:
            words = f"The first {SHOWN:,} of {len(said.text):,} characters; press Enter for all"
            self._note(said, depth, Sign.CUT, words)

    def _failure(self, said: Said, depth: int) -> None:
        first, _, rest = said.text.partition("\n")
        self._note(said, depth, Sign.FAILED, first or "No answer")
        if rest.strip():
            row = _kept(said, "failure", Text, said, depth)
            row.text, row.tone = rest, Tone.QUIET
            self.rows.append(row)

    def _reasoning(self, said: Said, depth: int) -> None:
        text = said.reasoning
        if said.message.answered is not None:
            thought = (part.text for part in said.message.answered.parts if isinstance(part, ReasoningPart))
            text = "\n\n".join(thought) or text
        if not text:
            return
        fold = _kept(said, "reasoning", Fold, said, depth, "reasoning")
        fold.is_open = "reasoning" in said.opened
        count = len(text.split())
        fold.words = f"Reasoning, {count:,} {'word' if count == 1 else 'words'}"
        self.rows.append(fold)
        if fold.is_open:
            for at, part in enumerate(parts_of(text)):
                row = _kept(said, ("reasoning", at), Text, said, depth)
                row.text, row.tone = part, Tone.QUIET
                self.rows.append(row)

    def _files(self, said: Said, refs: Sequence[AttachmentRef], depth: int) -> None:
        for ref in refs:
            self.rows.append(_kept(said, ("file", ref.path), File, said, depth, ref))
            if ref.mime_type.startswith("image/"):
                self.rows.append(_kept(said, ("picture", ref.path), Picture, said, depth, ref))

    def _call(self, said: Said, called: Called, depth: int) -> None:
        self.rows.append(_kept(said, ("call", called.id), Call, said, depth, called))
        if called.expanded:
            for label, text in facts_of(called):
                row = _kept(said, ("fact", called.id, label), Fact, said, depth + 1, called, label)
                row.text = text
                self.rows.append(row)
            for group in _groups(called.below):
                self._group(group, depth + 1)
        self._files(said, called.attachments, depth + 1)

    def _note(self, said: Said, depth: int, sign: Sign, words: str) -> None:
        row = _kept(said, ("note", sign, words if sign is Sign.CUT else ""), Note, said, depth, sign)
        row.words = words
        self.rows.append(row)


def facts_of(called: Called) -> Iterator[tuple[str, str]]:
    """What is told of a call that is unfolded, by label."""
    call = called.whole
    ran = call.arguments_run if call is not None else None
    yield "Arguments", (ran or (call.arguments if call is not None else called.arguments) or "{}")[:_LINE]
    if call is not None and ran is not None and ran != call.arguments:
        yield "As asked for", call.arguments[:_LINE]
    if called.state.is_final:
        yield "Error" if called.is_failed else "Result", (called.outcome or "nothing")[:_LINE]
    if call is None:
        return
    if call.attempts > 1:
        yield "Attempts", f"{call.attempts}"
    if call.decision is not None:
        reason = f": {call.decision.reason}" if call.decision.reason else ""
        yield "Approval", f"{call.decision.verdict} by {call.decision.by}{reason}"
    if call.log:
        lines = call.log.rstrip("\n").split("\n")
        yield (
            "Log",
            f"{lines[-1][:_LINE]}" if len(lines) == 1 else f"{len(lines):,} lines: {lines[-1][:_LINE]}",
        )


def _groups(said: Sequence[Said]) -> Iterator[list[Said]]:
    """Messages of one speaker in a row."""
    turn: Turn | None = None
    for one in said:
        if turn is not None and turn.goes_on_with(one):
            turn.said.append(one)
            continue
        if turn is not None:
            yield turn.said
        turn = Turn([one])
    if turn is not None:
        yield turn.said


def _kept(said: Said, key: object, make: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
    """The row that stood for this before at this depth, or a new one."""
    place = (key, args[1])
    row = said.kept.get(place)
    if row is None:
        row = said.kept[place] = make(*args, **named)
    return cast("R", row)
