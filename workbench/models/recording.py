"""Makes a script of what models answered in a thread, so that it can be played again without them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from workbench.base.exact_json import dump
from workbench.base.ids import MessageId, RequestId
from workbench.domain.model_answers import (
    ArgumentsDelta,
    CallNamed,
    Delta,
    Finished,
    FinishReason,
    ProviderCall,
    ProviderResult,
    ReasoningDelta,
    TextDelta,
    UsageReported,
)
from workbench.domain.model_requests import (
    AssistantPart,
    ProviderCallPart,
    ProviderResultPart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolTurn,
    Turn,
)
from workbench.domain.requests import Request, RequestState
from workbench.domain.threads import Message
from workbench.engine.models.pieces import Piece, read_pieces
from workbench.models.script import Script, Step, TimedDelta, When, text_of

_LONGEST_WHEN = 200
_SIZE = 16
"""Characters of a piece where it is not known in what pieces an answer came."""


def recorded_script(
    requests: Iterable[Request], messages: Mapping[MessageId, Message], asked: Mapping[RequestId, Turn]
) -> Script:
    """The answers of a thread in their order, each with what it was an answer to, as `asked` tells.

    Strict, since it knows no others. A step says in which part of the thread it plays where there are several. Files
    that a model made are left out, and so is what the answers cost.
    """
    answered = [request for request in requests if request.state is RequestState.ANSWERED]
    several = len({request.conversation for request in answered}) > 1
    steps = (
        Step(
            conversation=request.conversation if several else None,
            when=when(asked.get(request.id)),
            deltas=tuple(played(request, messages.get(request.message_id or MessageId("")))),
        )
        for request in answered
    )
    return Script(steps=tuple(steps), strict=True)


def written(script: Script) -> str:
    """A recorded script as the text of its file, a line for each piece."""
    steps = ",\n".join(map(_step_text, script.steps))
    return f'{{\n  "strict": {dump(script.strict)},\n  "steps": [\n{steps}\n  ]\n}}\n'


def _step_text(step: Step) -> str:
    head = step.model_dump(mode="json", by_alias=True, include={"conversation", "when"}, exclude_none=True)
    fields = [f'"{name}": {dump(value)}' for name, value in head.items()]
    lines = ",\n".join(f"      {dump(_piece(timed))}" for timed in step.deltas)
    fields.append(f'"deltas": [\n{lines}\n    ]')
    return f"    {{{', '.join(fields)}}}"


def _piece(timed: TimedDelta) -> dict[str, object]:
    pause: dict[str, object] = {"afterMs": round(timed.after_ms)} if timed.after_ms else {}
    return {**pause, "delta": timed.delta.model_dump(mode="json", by_alias=True, exclude_none=True)}


def when(turn: Turn | None) -> When | None:
    """What tells that the conversation goes another way. What a tool gives may well differ from time to time."""
    if isinstance(turn, ToolTurn):
        return When(tool=turn.name, is_error=turn.is_error)
    said = text_of(turn)[:_LONGEST_WHEN]
    return When(user=said) if said else None


# --- one answer


def played(request: Request, message: Message | None) -> Iterator[TimedDelta]:
    """An answer as it came, piece by piece."""
    parts = _parts(message) if message is not None else [TextPart(text="[deleted]")]
    pieces = list(read_pieces(request.pieces))
    if not _fit(pieces, parts):
        pieces = list(_cut_anew(parts))
    yield from _Cutting(parts).deltas(pieces)
    if request.usage is not None:
        usage = request.usage.model_copy(update={"cost": None})
        yield TimedDelta(delta=UsageReported(usage=usage))
    yield TimedDelta(delta=Finished(reason=request.reason or FinishReason.STOP))


def _parts(message: Message) -> list[AssistantPart]:
    """Every part in its order."""
    if message.answered is not None and message.answered.parts:
        return list(message.answered.parts)
    text = [TextPart(text=message.content)] if message.content else []
    calls = (
        ToolCallPart(id=call.provider_id or call.id, name=call.name, arguments=call.arguments)
        for call in message.tool_calls
    )
    return [*text, *calls]


def _fit(pieces: Sequence[Piece], parts: Sequence[AssistantPart]) -> bool:
    """Whether these are the pieces of these parts: they are not where a secret was masked or a text was edited."""
    size = Counter[str]()
    for piece in pieces:
        if piece.kind != "n":
            size[f"{piece.kind}{piece.call}"] += piece.size
    indexes = list(dict.fromkeys(piece.call for piece in pieces if piece.kind in "na"))
    calls = [part for part in parts if isinstance(part, ToolCallPart)]
    wanted = Counter(t0=len(_text(parts)), r0=len(_reasoning(parts)))
    wanted.update({f"a{index}": len(call.arguments) for index, call in zip(indexes, calls, strict=False)})
    return len(indexes) == len(calls) and size == wanted


def _cut_anew(parts: Sequence[AssistantPart]) -> Iterator[Piece]:
    calls = 0
    for part in parts:
        match part:
            case TextPart(text=text):
                yield from (Piece(0, "t", 0, size) for size in _sizes(text))
            case ReasoningPart(text=text):
                yield from (Piece(0, "r", 0, size) for size in _sizes(text))
            case ToolCallPart(name=name, arguments=arguments):
                yield Piece(0, "n", calls, len(name))
                yield from (Piece(0, "a", calls, size) for size in _sizes(arguments))
                calls += 1
            case _:
                pass


def _sizes(text: str) -> Iterator[int]:
    return (min(_SIZE, len(text) - start) for start in range(0, len(text), _SIZE))


def _text(parts: Sequence[AssistantPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, TextPart))


def _reasoning(parts: Sequence[AssistantPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, ReasoningPart))


class _Cutting:
    """Cuts what an answer holds into pieces again, in the order in which they came."""

    def __init__(self, parts: Sequence[AssistantPart]) -> None:
        self._parts = parts
        self._texts = {"t": _text(parts), "r": _reasoning(parts)}
        self._taken = Counter[str]()
        self._calls = [part for part in parts if isinstance(part, ToolCallPart)]
        self._places: dict[int, int] = {}
        """Which call each index stands for."""

    def deltas(self, pieces: Iterable[Piece]) -> Iterator[TimedDelta]:
        """What a provider ran itself comes whole before the rest: when it came is not kept."""
        for part in self._parts:
            if isinstance(part, ProviderCallPart):
                yield TimedDelta(delta=ProviderCall(id=part.id, name=part.name, arguments=part.arguments))
            elif isinstance(part, ProviderResultPart):
                told = part.model_dump(exclude={"type"})
                yield TimedDelta(delta=ProviderResult.model_validate(told))
        for piece in pieces:
            yield TimedDelta(after_ms=piece.after_ms, delta=self._delta(piece))

    def _delta(self, piece: Piece) -> Delta:
        match piece.kind:
            case "t":
                return TextDelta(text=self._take("t", piece.size))
            case "r":
                return ReasoningDelta(text=self._take("r", piece.size))
            case "n":
                call = self._part(piece.call)
                return CallNamed(index=piece.call, id=call.id, name=call.name[: piece.size])
            case _:
                key = f"a{piece.call}"
                self._texts.setdefault(key, self._part(piece.call).arguments)
                return ArgumentsDelta(index=piece.call, text=self._take(key, piece.size))

    def _take(self, key: str, size: int) -> str:
        start = self._taken[key]
        self._taken[key] += size
        return self._texts[key][start : start + size]

    def _part(self, index: int) -> ToolCallPart:
        return self._calls[self._places.setdefault(index, len(self._places))]
