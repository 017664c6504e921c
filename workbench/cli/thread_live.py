"""A thread as it runs: the model's words as they stream, each call's row, and above them what is done."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.base.ids import RequestId, ThreadId
from workbench.cli.invocation import as_typed
from workbench.cli.live import STATES, LiveRows
from workbench.cli.output import one_line, plain
from workbench.domain.calls import CallState
from workbench.domain.events import (
    AnswerChunk,
    AttemptFailed,
    CallArguments,
    CallSeen,
    CodeLogged,
    Event,
    HookFailed,
    StepEnded,
    StepStarted,
    ThreadMoved,
    ThreadQuiet,
)
from workbench.domain.pages import WaitingBelow
from workbench.domain.threads import Message, MessageStatus, Role, ThreadStatus

if TYPE_CHECKING:
    from rich.console import RenderableType

STATUSES: dict[ThreadStatus, tuple[str, str]] = {
    ThreadStatus.IDLE: ("○", "Done"),
    ThreadStatus.RUNNING: ("◔", "At work"),
    ThreadStatus.AWAITING_HUMAN: ("◇", "Your turn"),
    ThreadStatus.WAITING: ("◆", "Waits"),
    ThreadStatus.STOPPED: ("■", "Stopped"),
    ThreadStatus.FAILED: ("✗", "Failed"),
    ThreadStatus.TERMINATED: ("●", "Ended for good"),
}
"""Mark and words of each status."""

_SHOWN_LINES = 12
_ARGUMENTS = 200


@dataclass(slots=True)
class _Coming:
    """An answer while it streams. `speaker` is empty for the thread's own agent."""

    speaker: str
    text: str = ""
    thinks: bool = False


class LiveThread(LiveRows):
    """Shows a stream of events of one thread and of those below it.

    What its agent says goes to stdout when it is whole, unless something else belongs there (`on_stdout`); on a
    terminal it streams before. All else goes to stderr, with what its person says where nobody types it
    (`tells_person`).
    """

    def __init__(
        self, thread_id: ThreadId | None, *, on_stdout: bool = True, tells_person: bool = False
    ) -> None:
        self._coming: dict[RequestId, _Coming] = {}
        self._agents: dict[ThreadId, str] = {}
        self._thread_id = thread_id
        self._early: list[Event | Message] = []
        self._on_stdout = on_stdout
        self._tells_person = tells_person
        self.last_words = ""
        """What the thread's own agent was heard to say last."""
        super().__init__()

    def is_of(self, thread_id: ThreadId) -> None:
        """Which thread it is, once it was made; what happened until then is shown now."""
        self._thread_id = thread_id
        early, self._early = self._early, []
        for one in early:
            self.said(one) if isinstance(one, Message) else self.on_event(one)

    def on_event(self, event: Event) -> None:
        """Take in one event."""
        if self._thread_id is None:
            self._early.append(event)
        else:
            self._hear(event)

    def _hear(self, event: Event) -> None:
        match event:
            case StepStarted():
                self._coming[event.request_id] = _Coming(self._speaker(event))
            case AnswerChunk():
                self._more(event)
            case StepEnded():
                self._whole(self._coming.pop(event.request_id, None), said=event.message_id is not None)
            case AttemptFailed():
                self._failed(event)
            case CallArguments():
                row = self.rows.get(event.call_id)
                if row is not None:
                    row.doing = (row.doing + event.text)[-_ARGUMENTS:]
            case ThreadMoved():
                self._agents[event.thread_id] = event.agent
                if event.status is ThreadStatus.AWAITING_HUMAN and event.thread_id != self._thread_id:
                    answer = as_typed("thread", "send", event.thread_id, "…")
                    self._print(f"{event.agent} waits for its person's answer: {answer}")
            case ThreadQuiet():
                self._print(
                    f"Nothing has been heard for {event.seconds:.0f} s: it waits for {event.waits_for}."
                )
            case HookFailed():
                self._print(f"The hook {event.hook} failed: {event.message}")
            case CodeLogged():
                self._print(event.text)
            case _:
                super().on_event(event)
                self._place(event)

    def asked(self, thread_id: ThreadId, prompt: str) -> None:
        """A prompt waits for a person who is its model."""
        self._print(f"You are the model that {prompt} asks: {as_typed('thread', 'answer', thread_id, '…')}")

    def hear_person(self, words: str) -> None:
        """What the person says."""
        self._print(f"> {words}")

    def said(self, message: Message) -> None:
        """A message that did not stream here: its words, when they are an agent's or its handler's."""
        if self._thread_id is None:
            self._early.append(message)
        elif message.role is Role.USER:
            if self._tells_person and message.side and not message.depth and message.content:
                self.hear_person(message.content)
        elif message.role is Role.ASSISTANT and message.content and not is_failure(message):
            own = message.depth == 0 and message.thread_id == self._thread_id
            speaker = "" if own else self._agents.get(message.thread_id) or message.prompt or ""
            self._whole(_Coming(speaker, message.content), said=True)

    def _speaker(self, step: StepStarted) -> str:
        if step.thread_id != self._thread_id:
            return self._agents.get(step.thread_id, "") or step.prompt
        return step.prompt if step.depth else ""

    def _more(self, chunk: AnswerChunk) -> None:
        coming = self._coming.get(chunk.request_id)
        if coming is None:
            return
        coming.thinks = chunk.is_reasoning
        if not chunk.is_reasoning:
            coming.text += chunk.text

    def _failed(self, event: AttemptFailed) -> None:
        coming = self._coming.get(event.request_id)
        if coming is not None:
            coming.text = ""
        # That nobody is asked any more is said by what ends with it: the thread, or the call of a sub-prompt.
        if event.wait is not None:
            self._print(f"{event.model}: {event.failure.message} (asked again in {event.wait:g} s)")
        elif event.falls_back:
            self._print(f"{event.model}: {event.failure.message} (the next model is asked)")

    def _whole(self, coming: _Coming | None, *, said: bool) -> None:
        if coming is None or not said or not coming.text.strip():
            return
        text = coming.text.strip()
        if coming.speaker:
            self._print(f"{coming.speaker}: {text}")
            return
        self.last_words = text
        if not self._on_stdout or (self._live is not None and sys.stdout.isatty()):
            self._print(text)
        else:
            sys.stdout.write(plain(text) + "\n")
            sys.stdout.flush()

    def _place(self, event: Event) -> None:
        """Calls of threads below stand in from those of the thread; one that has ended moves up and stays."""
        row = self.rows.get(getattr(event, "call_id", None))  # pyright: ignore[reportArgumentType]
        if row is None:
            return
        if isinstance(event, CallSeen) and event.thread_id != self._thread_id and not row.depth:
            row.depth = 1
        if row.state.is_final and self._live is not None:
            self._print(self.line(row))
            del self.rows[row.call_id]

    def __rich__(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        shown: list[RenderableType] = []
        for coming in self._coming.values():
            name = f"{coming.speaker}: " if coming.speaker else ""
            if coming.text:
                lines = plain(coming.text).splitlines()[-_SHOWN_LINES:]
                shown.append(Text(name + "\n".join(lines), style="dim" if coming.speaker else ""))
            elif coming.thinks:
                shown.append(Text(f"{name}thinks …", style="dim"))
        return Group(*shown, super().__rich__())


def is_failure(message: Message) -> bool:
    """Whether it says why there is no answer, which the status of its thread tells as well."""
    return message.status is MessageStatus.FAILED and not message.metadata.get("stopped")


def status_words(status: ThreadStatus, waits: CallState | None, below: WaitingBelow | None = None) -> str:
    """A status with its mark; of a thread at work how a call of it, or one below it, waits for a person."""
    state = waits or (below.state if below is not None else None)
    mark, words = STATES[state][:2] if state is not None and status.is_under_way else STATUSES[status]
    return f"{mark} {words}"


def status_line(
    status: ThreadStatus, text: str, waits: CallState | None = None, below: WaitingBelow | None = None
) -> str:
    """A status as a person reads it, with what is waited for below, else what the thread says of itself."""
    said = waiting_words(status, waits, below) or text
    return f"{status_words(status, waits, below)}{f': {one_line(said, 400)}' if said else ''}"


def waiting_words(status: ThreadStatus, waits: CallState | None, below: WaitingBelow | None) -> str:
    """What a thread at work waits for below it, "" for nothing."""
    return below.words if below is not None and waits is None and status.is_under_way else ""
