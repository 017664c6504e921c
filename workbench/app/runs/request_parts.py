"""A request to a model in parts that a person can read: what was sent, piece by piece, and what came back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.base.exact_json import dump
from workbench.domain.calls import AttachmentRef, ToolResult
from workbench.domain.model_answers import ModelFailure
from workbench.domain.model_requests import (
    AssistantPart,
    AssistantTurn,
    FilePart,
    ModelRequest,
    OfferedTool,
    ProviderCallPart,
    ProviderResultPart,
    ReasoningPart,
    SystemTurn,
    TextPart,
    ToolCallPart,
    ToolTurn,
    Turn,
    UserPart,
)
from workbench.domain.requests import Request
from workbench.domain.threads import Message

SENT, CAME_BACK = "Sent", "Came back"
_FIRST = 200
"""Characters of a text that stand beside its title."""


@dataclass(frozen=True, slots=True)
class Part:
    """One piece. `title` says what it is, `about` of what or how; `text` is all of it, `data` the bytes of a file."""

    heading: str
    title: str
    text: str = ""
    about: str = ""
    is_json: bool = False
    is_wrong: bool = False
    data: bytes = b""
    mime_type: str = ""

    @property
    def first_words(self) -> str:
        """The beginning of it, in one line."""
        return " ".join(self.text[:_FIRST].split())

    def result(self) -> ToolResult:
        """The part as viewers of results take it."""
        if self.data:
            name = self.about or self.title
            size = len(self.data)
            file = AttachmentRef(id=name, path=name, name=name, mime_type=self.mime_type, size=size)
            return ToolResult(text=self.text, attachments=(file,))
        return ToolResult(text="", json_text=self.text) if self.is_json else ToolResult(text=self.text)


def parts_of(asked: ModelRequest, request: Request, answer: Message | None) -> tuple[Part, ...]:
    """All parts, in the order in which they are read."""
    return (*sent_parts(asked), *_came_back(request, answer))


def sent_parts(asked: ModelRequest) -> Iterator[Part]:
    """Settings, the system text, the tools, and the turns of the conversation."""
    yield Part(
        SENT,
        "Settings",
        dump(settings_of(asked), indent=2),
        f"{asked.provider.value} {asked.model}",
        is_json=True,
    )
    if asked.system:
        yield Part(SENT, "System", asked.system)
    for tool in asked.tools:
        yield _of_tool(tool)
    for turn in asked.turns:
        yield from turn_parts(turn)


def settings_of(asked: ModelRequest) -> dict[str, object]:
    """Everything but the words and the tools, without what was not set."""
    whole = asked.to_json()
    left_out = ("system", "turns", "tools", "conversation", "answers")
    return {
        name: value for name, value in whole.items() if name not in left_out and value not in (None, [], {})
    }


def exact_json(asked: ModelRequest, *, indent: int | None = None) -> str:
    """The whole request as JSON text."""
    return dump(asked.to_json(), indent=indent)


def turn_parts(turn: Turn) -> Iterator[Part]:
    """The parts of one turn of the conversation."""
    match turn:
        case SystemTurn():
            yield Part(SENT, "System", turn.text)
        case AssistantTurn():
            for part in turn.parts:
                yield _of_answer(SENT, part)
        case ToolTurn():
            for one in _of_contents("Result", turn.content, turn.name):
                yield Part(
                    SENT,
                    one.title,
                    one.text,
                    turn.name,
                    is_wrong=turn.is_error,
                    data=one.data,
                    mime_type=one.mime_type,
                )
        case _:
            yield from _of_contents("User", turn.content)


def _of_contents(title: str, contents: Sequence[UserPart], about: str = "") -> Iterator[Part]:
    if not contents:
        yield Part(SENT, title, "", about)
    for content in contents:
        yield (
            _of_file(SENT, content)
            if isinstance(content, FilePart)
            else Part(SENT, title, content.text, about)
        )


def _of_file(heading: str, file: FilePart) -> Part:
    kind = "Image" if file.mime_type.startswith("image/") else "File"
    about = file.name or file.mime_type
    return Part(heading, kind, "", about, data=file.data, mime_type=file.mime_type)


def _of_answer(heading: str, part: AssistantPart) -> Part:
    match part:
        case TextPart():
            return Part(heading, "Assistant", part.text)
        case ReasoningPart():
            return Part(heading, "Reasoning", part.text, "sealed" if part.signature else "")
        case ToolCallPart():
            return Part(heading, "Call", part.arguments, part.name)
        case ProviderCallPart():
            return Part(heading, "Provider's call", part.arguments, part.name)
        case ProviderResultPart():
            return Part(heading, "Provider's result", part.content, part.name, is_wrong=part.is_error)
        case FilePart():
            return _of_file(heading, part)


def _of_tool(tool: OfferedTool) -> Part:
    told: dict[str, object] = {"description": tool.description, "inputSchema": dict(tool.input_schema)}
    if tool.progress_argument:
        told["progressArgument"] = tool.progress_argument
    return Part(SENT, "Tool", dump(told, indent=2), tool.name, is_json=True)


def _came_back(request: Request, answer: Message | None) -> Iterator[Part]:
    if answer is not None and request.failure is None:
        yield from _of_message(answer)
    if request.failure is not None:
        yield Part(CAME_BACK, "Failure", words_of(request.failure), request.failure.kind.value, is_wrong=True)
    if request.usage is not None or request.reason is not None:
        told: dict[str, object] = {}
        if request.reason is not None:
            told["finishReason"] = request.reason.value
        if request.usage is not None:
            told["usage"] = request.usage.to_json()
        yield Part(
            CAME_BACK,
            "End",
            dump(told, indent=2),
            request.reason.value if request.reason else "",
            is_json=True,
        )


def _of_message(answer: Message) -> Iterator[Part]:
    if answer.answered is not None and answer.answered.parts:
        for part in answer.answered.parts:
            yield _of_answer(CAME_BACK, part)
        return
    if answer.content:
        yield Part(CAME_BACK, "Assistant", answer.content)
    for call in answer.tool_calls:
        yield Part(CAME_BACK, "Call", call.arguments, call.name)


def words_of(failure: ModelFailure) -> str:
    """A failure with what to do and what the provider said."""
    return "\n".join(line for line in (failure.message, failure.hint, failure.detail) if line)
