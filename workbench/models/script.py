"""What a script of a scripted model may say, and which of its steps answers a request."""

from __future__ import annotations

from pydantic import Field

from workbench.domain.model_answers import Delta, FinishReason, ModelFailureKind, Usage
from workbench.domain.model_requests import FilePart, ModelRequest, ToolTurn, Turn, UserPart, UserTurn
from workbench.domain.value import Value

_LONGEST_QUOTE = 60


class When(Value):
    """What the request must end with; everything named must hold, and texts are compared without case."""

    user: str | None = None
    """The last turn is a user's and contains this."""
    tool: str | None = None
    """The last turn is the result of this tool."""
    result: str | None = None
    """The last turn is a result that contains this."""
    is_error: bool | None = None
    """The last turn is a result, and an error or not."""

    def holds(self, turn: Turn | None) -> bool:
        said = text_of(turn).lower()
        of_user = self.user is None or (isinstance(turn, UserTurn) and self.user.lower() in said)
        if self.tool is None and self.result is None and self.is_error is None:
            return of_user
        return (
            of_user
            and isinstance(turn, ToolTurn)
            and (self.tool is None or turn.name == self.tool)
            and (self.result is None or self.result.lower() in said)
            and (self.is_error is None or turn.is_error is self.is_error)
        )

    def __str__(self) -> str:
        wanted = [f"{name} {value!r}" for name, value in self.model_dump(exclude_none=True).items()]
        return ", ".join(wanted) or "anything"


class ScriptedCall(Value):
    """A call; `arguments` is JSON, or a text that is sent as it is, JSON or not. Ids are given when not written."""

    name: str
    arguments: object = Field(default_factory=dict[str, object])
    id: str | None = None


class ScriptedFailure(Value):
    """The request fails; what the step says is streamed before."""

    kind: ModelFailureKind
    message: str = "The script says that this fails."
    retry_after: float | None = None
    """Seconds."""


class TimedDelta(Value):
    """A delta of a recorded stream and how long it came after the one before it."""

    after_ms: float = 0.0
    delta: Delta


class Step(Value):
    """One answer. In its texts `{{user}}`, `{{result}}` and `{{result.path}}` stand for what the request ends with.

    `deltas` play a recorded stream as it was; what is said by the other fields is then not needed.
    """

    conversation: str | None = None
    """Only for this part of a thread: a side, and the prompts down to it, as in `a/kind_letter`."""
    when: When | None = None
    reasoning: str = ""
    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    finish: FinishReason | None = None
    """By default what fits: `tool_calls` after calls, else `stop`."""
    usage: Usage | None = None
    fail: ScriptedFailure | None = None
    deltas: tuple[TimedDelta, ...] = ()

    def is_of(self, conversation: str) -> bool:
        """Whether it may play there."""
        return self.conversation in (None, conversation)


class Pace(Value):
    """How an answer is cut into pieces: so many characters, and a pause after each."""

    characters: int = Field(default=16, ge=1)
    pause_ms: float = Field(default=0.0, ge=0)


class Script(Value):
    """`steps` answer in order, each once; then the first of `replies` whose `when` holds, as often as it does.

    A step whose `when` does not hold fails the request. A step that fails is no answer: the next attempt gets
    the step after it. Where nothing answers, a strict script fails the request, another says so and stops.
    """

    steps: tuple[Step, ...] = ()
    replies: tuple[Step, ...] = ()
    strict: bool = False
    pace: Pace = Pace()

    def at(self, request: ModelRequest, failed: int) -> Step | None:
        """The step for a request whose place has failed so often already since its last answer."""
        answers = request.answers
        for step in self.steps_of(request.conversation):
            if answers:
                answers -= step.fail is None
            elif step.fail is None or not failed:
                return step
            else:
                failed -= 1
        last = request.turns[-1] if request.turns else None
        replies = (reply for reply in self.replies if reply.is_of(request.conversation))
        return next((reply for reply in replies if (reply.when or When()).holds(last)), None)

    def steps_of(self, conversation: str) -> tuple[Step, ...]:
        """Those that play in this part of a thread."""
        return tuple(step for step in self.steps if step.is_of(conversation))


def text_of(turn: Turn | None) -> str:
    """What a user said or a tool gave."""
    if isinstance(turn, UserTurn | ToolTurn):
        return "\n".join(_text(part) for part in turn.content)
    return ""


def quote(turn: Turn | None) -> str:
    """A turn in a few words, for messages."""
    said = text_of(turn)
    said = said if len(said) <= _LONGEST_QUOTE else said[:_LONGEST_QUOTE] + "…"
    if isinstance(turn, ToolTurn):
        return f"the result of {turn.name}: {said!r}"
    return f"the message {said!r}" if turn else "an empty conversation"


def _text(part: UserPart) -> str:
    return f"[{part.name or part.mime_type}]" if isinstance(part, FilePart) else part.text
