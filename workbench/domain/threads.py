"""Threads and the messages they hold. Times are microseconds since the epoch."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field

from workbench.base.ids import CallId, MessageId, RequestId, ThreadId
from workbench.domain.agents import SideName
from workbench.domain.auth import Auth
from workbench.domain.calls import AttachmentRef, Decision
from workbench.domain.model_requests import AssistantPart, Replay
from workbench.domain.value import Value


class ThreadKind(StrEnum):
    """An agent's thread, or the bench: the thread of a project's manual calls."""

    AGENT = "agent"
    BENCH = "bench"


class ThreadStatus(StrEnum):
    """What a thread does now. Any but `terminated` goes on with the next message."""

    IDLE = "idle"
    RUNNING = "running"
    AWAITING_HUMAN = "awaiting_human"
    """Its person's turn (T4)."""
    WAITING = "waiting"
    """For a variable, an approval or a child."""
    STOPPED = "stopped"
    """A person stopped it, or the program ended under it (T9)."""
    FAILED = "failed"
    """Its last step failed; the reason is in its last message."""
    TERMINATED = "terminated"
    """For good: it refuses further work."""

    @property
    def is_under_way(self) -> bool:
        """Whether a process runs it, with which it ends."""
        return self in (ThreadStatus.RUNNING, ThreadStatus.WAITING)


class Session(Value):
    """A period in which the sides take turns, from what woke the thread to the session's end (T2)."""

    turns: int = 0
    """Turns of both sides that have ended."""
    steps: int = 0
    """Model requests in it, of both sides; `side_a_steps` and `side_b_steps` in the turn under way or last ended."""
    side_a_steps: int = 0
    side_b_steps: int = 0
    side: SideName = "a"
    """Whose turn it is, or comes next."""
    turn_began: MessageId | None = None
    """The message that opened the turn under way: what a prompt without `include_chat` sees begins here."""
    handled: MessageId | None = None
    """The last message that the handler whose turn it is has handled: it takes the turn up behind that (T9)."""
    awaited: tuple[MessageId, ...] = ()
    """Messages in it whose senders wait for its end (T5)."""


class ForkedFrom(Value):
    """The thread whose history another one began with, up to and including a message and the results of its calls; with
    None just its beginning."""

    thread_id: ThreadId
    message_id: MessageId | None = None


class Imported(Value):
    """That a history came in a file: when, from which project."""

    at: int
    project: str = ""


class ReplayMode(Value):
    """What a replay does with what was recorded in the thread that it is forked from: whether its models answer what
    they answered then, and whether its calls are given the results that they got then."""

    recorded_models: bool = True
    recorded_tools: bool = False


class Thread(Value):
    """An agent at work, or the bench. `arguments` are those it was made with, for its whole life (T7).

    `agent` may change by a handoff, `origin_agent` never. `relationship` is what the parent calls this child,
    `name` the child's own; `status_text` is what it last said of itself (`set_status`).

    As a session of the other system (bound calls, `ctx`) it may have been begun on a `channel` under a `channel_key`,
    for somebody (`auth`, the owner by H7; old ones were begun for whoever is here).
    In a `dry_run` only reads run (C10). `as_of` is the instant, as written, that bounds time arguments (C11).
    """

    id: ThreadId
    kind: ThreadKind
    created_at: int
    updated_at: int
    agent: str = ""
    origin_agent: str = ""
    user_id: str | None = None
    parent_id: ThreadId | None = None
    made_by: CallId | None = None
    """The call of the parent that made it, if one did."""
    forked_from: ForkedFrom | None = None
    replay: ReplayMode | None = None
    """It replays the thread that it is forked from; below a replay it may have none, where there was none then."""
    imported: Imported | None = None
    relationship: str | None = None
    name: str = ""
    arguments: Mapping[str, object] = Field(default_factory=dict[str, object])
    handed_over: Mapping[str, object] = Field(default_factory=dict[str, object])
    """What handoffs gave the agents that took it over (T4)."""
    tags: tuple[str, ...] = ()
    status: ThreadStatus = ThreadStatus.IDLE
    status_text: str = ""
    at_limit: bool = False
    """Its last run ended at a bound (steps, turns, answers that said nothing), which is no end of the work (T2)."""
    session: Session = Session()
    terminated_at: int | None = None
    channel: str = ""
    channel_key: str = ""
    auth: Auth = Auth()
    dry_run: bool = False
    as_of: str | None = None

    @property
    def given(self) -> Mapping[str, object]:
        """The arguments of the agent that has it now: its own, and over them what was handed over."""
        return {**self.arguments, **self.handed_over}


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class MessageStatus(StrEnum):
    PENDING = "pending"
    COMPLETED = "completed"
    FAILED = "failed"


class SentCall(Value):
    """A call as an assistant message carries it; `arguments` is JSON text, or what a model wrote instead.

    `id` is ours, so that no two are the same; `provider_id` is the one that the model gave.
    """

    id: CallId
    name: str
    arguments: str
    provider_id: str = ""


class Answered(Value):
    """What an answer holds beside its text and calls: reasoning, calls the provider ran, its own words for it all."""

    parts: tuple[AssistantPart, ...] = ()
    """Every part in order, the text and the calls among them; empty when these are all."""
    replay: Replay | None = None


class Message(Value):
    """One message. `side` is whose it is: the side that spoke, called, or got the result; None for neither.

    `depth` counts nested calls and sub-prompts, `parent_id` is the message whose call a sub-prompt answers,
    `request_id` the model request that an assistant message came from.
    """

    id: MessageId
    thread_id: ThreadId
    role: Role
    created_at: int
    content: str | None = None
    name: str | None = None
    tool_calls: tuple[SentCall, ...] = ()
    tool_call_id: CallId | None = None
    tool_status: str | None = None
    status: MessageStatus = MessageStatus.COMPLETED
    silent: bool = False
    depth: int = 0
    parent_id: MessageId | None = None
    attachments: tuple[AttachmentRef, ...] = ()
    metadata: Mapping[str, object] = Field(default_factory=dict[str, object])
    side: SideName | None = None
    prompt: str | None = None
    request_id: RequestId | None = None
    answered: Answered | None = None


class WrittenAnswer(Value):
    """What a person who is the model answers: words and calls, each a tool and its arguments as a model would write
    them; or, where `declined` is given, no answer and why."""

    request_id: RequestId
    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    declined: str | None = None


class Inbound(Value):
    """A message, or a call that code queued, which waits for its thread until the next step takes it (T2, T3).

    `arguments` is JSON text. Or it is the wish of another process for whoever runs the thread: that it is stopped
    (`stop`), that a call goes on which waits for an approval (`decision` of `call_id`, with the edited `arguments`),
    or that a person's `answer` is what its model said.
    """

    id: str
    thread_id: ThreadId
    message: Message | None = None
    tool: str | None = None
    arguments: str = "{}"
    stop: bool = False
    call_id: CallId | None = None
    decision: Decision | None = None
    answer: WrittenAnswer | None = None

    @property
    def is_wish(self) -> bool:
        """Whether it is for the process that runs the thread, not for the thread."""
        return self.stop or self.decision is not None or self.answer is not None


class MessagePage(Value):
    """What `get_messages` gives (T3)."""

    messages: tuple[Message, ...]
    total: int
    has_more: bool
