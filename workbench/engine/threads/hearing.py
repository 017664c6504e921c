"""What is heard of an answer while it is asked for: attempts and how they ended, its text and calls as they come."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workbench.base.ids import MessageId, RequestId, ThreadId
from workbench.domain.events import AttemptFailed
from workbench.domain.model_answers import (
    ArgumentsDelta,
    CallNamed,
    ModelFailure,
    ReasoningDelta,
    TextDelta,
)
from workbench.domain.model_requests import ModelRequest
from workbench.domain.requests import Attempt
from workbench.engine.models import attempts
from workbench.engine.models.call_start import CallStart
from workbench.engine.models.pieces import Pieces
from workbench.engine.services import Services
from workbench.engine.threads.shown_text import ShownText
from workbench.engine.threads.streamed_calls import StreamedCalls


class Hearing:
    """Of one request. `tell` is given what is to be said of attempts."""

    def __init__(
        self,
        services: Services,
        calls: StreamedCalls,
        tell: Callable[[AttemptFailed], None],
        *,
        thread_id: ThreadId,
        request_id: RequestId,
        message_id: MessageId,
    ) -> None:
        self._services = services
        self._calls = calls
        self._tell = tell
        self._thread_id = thread_id
        self._request_id = request_id
        self._shown = ShownText(services, thread_id, request_id, message_id)
        self._text: list[str] = []
        self.asked: Mapping[str, ModelRequest] = {}
        """What each model is asked, by its name."""
        self.pieces = Pieces(services.clock)
        """In what pieces the answer of the attempt under way comes."""
        self.attempts: list[Attempt] = []

    @property
    def text(self) -> str:
        """What came of the attempt under way, as the model wrote it."""
        return "".join(self._text)

    def hear(self, heard: attempts.Heard) -> None:
        """Take in one piece."""
        match heard:
            case attempts.AttemptStarted():
                self._began(heard)
            case attempts.AttemptFailed():
                self._failed(heard)
            case CallStart():
                self._calls.started(heard)
            case CallNamed():
                self._came(heard)
                self._shown.rest()
                self._calls.named(heard)
            case ArgumentsDelta():
                self._came(heard)
                self._calls.more(heard)
            case TextDelta(text=text):
                self._came(heard)
                self._text.append(text)
                self._shown.more(text, is_reasoning=False)
            case ReasoningDelta(text=text):
                self._came(heard)
                self._shown.more(text, is_reasoning=True)
            case _:
                pass

    def ended(self) -> None:
        """The attempt under way, if there is one, is over."""
        if self.attempts:
            self._update_attempt(ended_at=self._services.clock.now_us())

    def rest(self) -> None:
        """Nothing more comes: what waited is shown."""
        self._shown.rest()

    def _began(self, started: attempts.AttemptStarted) -> None:
        request, now = self.asked[started.model], self._services.clock.now_us()
        tried = Attempt(
            model=started.model, provider=request.provider, model_id=request.model, started_at=now
        )
        self.attempts.append(tried)
        self.pieces = Pieces(self._services.clock)

    def _came(self, delta: TextDelta | ReasoningDelta | CallNamed | ArgumentsDelta) -> None:
        self.pieces.hear(delta)
        if self.attempts and self.attempts[-1].first_delta_at is None:
            self._update_attempt(first_delta_at=self._services.clock.now_us())

    def _failed(self, failed: attempts.AttemptFailed) -> None:
        failure = masked(self._services, failed.failure)
        self._update_attempt(ended_at=self._services.clock.now_us(), failure=failure)
        self._calls.withdraw("The model's answer broke off; it is asked again.")
        self._text.clear()
        self._shown.withdraw()
        self._tell(
            AttemptFailed(
                thread_id=self._thread_id,
                at=self._services.clock.now_us(),
                request_id=self._request_id,
                model=failed.model,
                attempt=failed.attempt,
                failure=failure,
                wait=failed.wait if failed.then == "retry" else None,
                falls_back=failed.then == "fallback",
            )
        )

    def _update_attempt(self, **changes: object) -> None:
        self.attempts[-1] = self.attempts[-1].model_copy(update=changes)


def masked(services: Services, failure: ModelFailure) -> ModelFailure:
    """A failure with no secret in its words (V6)."""
    mask = services.variables.masker.mask
    changes = {name: mask(getattr(failure, name)) for name in ("message", "hint", "detail")}
    return failure.model_copy(update=changes)
