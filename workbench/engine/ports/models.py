"""What answers a model request."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from pydantic import SecretStr

from workbench.base.errors import RunError
from workbench.base.ids import RequestId, ThreadId
from workbench.domain.model_answers import Delta, ModelFailure
from workbench.domain.model_requests import ModelRequest


@dataclass(frozen=True, slots=True)
class Asker:
    """For which request of which thread a model is asked: a person who is the model wants to know."""

    thread_id: ThreadId
    request_id: RequestId


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """How a provider is reached. No `base_url` means the provider's own; no key means that none is sent.

    Time-outs in seconds: until the first byte of the answer, and between two of its pieces.
    """

    api_key: SecretStr | None = None
    base_url: str | None = None
    first_piece_timeout: float = 120.0
    next_piece_timeout: float = 120.0
    asker: Asker | None = None


class ModelError(RunError):
    """A request got no answer, or only the beginning of one. `failure` says why; no key stands in it."""

    def __init__(self, failure: ModelFailure) -> None:
        super().__init__(failure.message, hint=failure.hint, detail=failure.detail)
        self.failure = failure


class ModelPort(Protocol):
    """Asks models. It tries once: trying again and fallbacks are the engine's, so that each attempt shows."""

    def stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        """The answer as it comes; the last delta is `Finished`. Raises ModelError, before or amid the deltas.

        Cancelling the task that waits for a delta closes the connection before CancelledError arrives; so does
        closing the iterator.
        """
        ...

    async def close(self) -> None:
        """Close every connection that is kept open."""
        ...
