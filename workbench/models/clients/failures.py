"""Says in our words why a request got no answer: every error of the client library and its wires, in one place."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from math import isfinite
from typing import cast

from pydantic_ai import exceptions as wire

from workbench.base.errors import WorkbenchError
from workbench.base.masker import Masker
from workbench.domain.model_answers import ModelFailure, ModelFailureKind
from workbench.domain.model_requests import ModelRequest
from workbench.engine.ports import ModelAccess, ModelError

_LONGEST_WORDS = 300
_LONGEST_DETAIL = 2_000

# Most specific first.
_KINDS: tuple[tuple[type[Exception], ModelFailureKind, str, str], ...] = (
    (
        wire.ModelAuthenticationError,
        ModelFailureKind.AUTH,
        "{model}: the provider does not accept the key.",
        "Check the variable that holds it, and that the key may use this model.",
    ),
    (
        wire.ModelQuotaExceededError,
        ModelFailureKind.REJECTED,
        "{model}: the account's credit or quota is used up.",
        "Top it up, or ask another model.",
    ),
    (wire.ModelRateLimitError, ModelFailureKind.RATE_LIMITED, "{model}: too many requests for now.", ""),
    (wire.ModelUnavailableError, ModelFailureKind.OVERLOADED, "{model}: the provider is overloaded.", ""),
    (
        wire.ModelContextWindowExceededError,
        ModelFailureKind.CONTEXT_TOO_LONG,
        "{model}: the conversation is longer than the model can read.",
        "Send less of it: turn off include_chat or include_past_tools, or fork from an earlier message.",
    ),
    (
        wire.ModelNotFoundError,
        ModelFailureKind.REJECTED,
        "{model}: the provider knows no such model.",
        "Check model= and base_url= of its definition.",
    ),
    (wire.ModelServerError, ModelFailureKind.SERVER, "{model}: the provider has trouble of its own.", ""),
    (wire.ModelTimeoutError, ModelFailureKind.TIMEOUT, "{model}: no answer in time.", ""),
    (wire.ModelRequestTimeout, ModelFailureKind.TIMEOUT, "{model}: no answer in time.", ""),
    (
        wire.ModelConnectionError,
        ModelFailureKind.CONNECTION,
        "{model}: the connection failed.",
        "Check that the server runs and that base_url= is right.",
    ),
    (
        wire.ModelRequestRejectedError,
        ModelFailureKind.REJECTED,
        "{model}: the provider refuses the request.",
        "",
    ),
    (wire.ModelAPIError, ModelFailureKind.SERVER, "{model}: the provider reports an error.", ""),
    (wire.UserError, ModelFailureKind.REJECTED, "{model}: this cannot be asked for.", ""),
    (wire.UnexpectedModelBehavior, ModelFailureKind.MALFORMED, "{model}: the answer makes no sense.", ""),
    # What the clients let through when an answer is not of the wire's form.
    (ValueError, ModelFailureKind.MALFORMED, "{model}: the answer is not of the expected form.", ""),
    (TypeError, ModelFailureKind.MALFORMED, "{model}: the answer is not of the expected form.", ""),
    (LookupError, ModelFailureKind.MALFORMED, "{model}: the answer is not of the expected form.", ""),
    (AttributeError, ModelFailureKind.MALFORMED, "{model}: the answer is not of the expected form.", ""),
    (AssertionError, ModelFailureKind.MALFORMED, "{model}: the answer is not of the expected form.", ""),
    (RuntimeError, ModelFailureKind.SERVER, "{model}: the client reports an error.", ""),
    (OSError, ModelFailureKind.CONNECTION, "{model}: the connection failed.", ""),
)
_CAUGHT: tuple[type[Exception], ...] = tuple(kind for kind, *_ in _KINDS)


@contextmanager
def translated(request: ModelRequest, access: ModelAccess) -> Generator[None]:
    """Raises ModelError for whatever a client raises; the key stands nowhere in it."""
    try:
        yield
    except WorkbenchError:
        raise
    except _CAUGHT as error:
        # Not "from error": what the client says may hold what was sent.
        raise ModelError(_failure(error, request, access)) from None


def _failure(error: Exception, request: ModelRequest, access: ModelAccess) -> ModelFailure:
    kind, message, hint = next(
        (kind, message, hint) for caught, kind, message, hint in _KINDS if isinstance(error, caught)
    )
    if type(error) is wire.ModelAPIError and error.body is None:  # the client's own verdict on a stream
        kind, message = ModelFailureKind.MALFORMED, "{model}: the answer broke off, or is of no known form."
    masker = Masker([("API key", access.api_key.get_secret_value())] if access.api_key else [])
    message = message.format(model=request.model)
    if isinstance(error, wire.ModelAPIError) and (words := _words(error.body)):
        message += f" It says: {_cut(masker.mask(words), _LONGEST_WORDS)}"
    return ModelFailure(
        kind=kind,
        message=message,
        hint=hint,
        detail=_cut(masker.mask(f"{type(error).__name__}: {error}"), _LONGEST_DETAIL),
        status=error.status_code if isinstance(error, wire.ModelHTTPError) else None,
        retry_after=_retry_after(error),
    )


def _words(body: object) -> str:
    """The provider's own message, where its error has the usual form: `{error: {message}}` or the inner part."""
    if isinstance(body, Mapping):
        fields = cast("Mapping[str, object]", body)
        message = fields.get("message")
        return message if isinstance(message, str) else _words(fields.get("error"))
    return ""


def _retry_after(error: Exception) -> float | None:
    """In seconds, also when the provider names a fraction, which the client library does not read."""
    if not isinstance(error, wire.ModelAPIError) or error.retry_after is not None:
        return error.retry_after if isinstance(error, wire.ModelAPIError) else None
    headers = error.headers if isinstance(error, wire.ModelHTTPError) else None
    with suppress(ValueError):
        seconds = float((headers or {}).get("retry-after", ""))
        return seconds if isfinite(seconds) and seconds >= 0 else None
    return None


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + "…"
