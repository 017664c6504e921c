"""The text of an answer as it is shown while a model writes it: no secret in it, wherever its pieces end (V6)."""

from __future__ import annotations

from workbench.base.ids import MessageId, RequestId, ThreadId
from workbench.base.masker import MaskStream
from workbench.domain.events import AnswerChunk
from workbench.engine.services import Services


class ShownText:
    """Of one answer: its text and its reasoning, one of them at a time."""

    def __init__(
        self, services: Services, thread_id: ThreadId, request_id: RequestId, message_id: MessageId
    ) -> None:
        self._services = services
        self._thread_id = thread_id
        self._request_id = request_id
        self._message_id = message_id
        self._streams: dict[bool, MaskStream] = {}
        """The text, or under True the reasoning, that is shown at the moment."""

    def more(self, text: str, *, is_reasoning: bool) -> None:
        """A piece for whoever watches; its end waits where it may be the beginning of a secret."""
        if is_reasoning not in self._streams:
            self.rest()
        masker = self._services.variables.masker
        stream = self._streams.setdefault(is_reasoning, MaskStream(masker))
        stream.masker = masker
        self._publish(stream.feed(text), is_reasoning=is_reasoning)

    def rest(self) -> None:
        """Nothing more of it comes: what waited is shown."""
        for is_reasoning, stream in self._streams.items():
            self._publish(stream.close(), is_reasoning=is_reasoning)
        self._streams.clear()

    def withdraw(self) -> None:
        """The attempt is over, and what waited of it with that."""
        self._streams.clear()

    def _publish(self, text: str, *, is_reasoning: bool) -> None:
        if not text:
            return
        self._services.bus.publish(
            AnswerChunk(
                thread_id=self._thread_id,
                at=self._services.clock.now_us(),
                request_id=self._request_id,
                message_id=self._message_id,
                text=text,
                is_reasoning=is_reasoning,
            )
        )
