"""The clients of the real providers: made once for each place and key, over one pool of connections."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import Executor
from contextlib import aclosing
from contextvars import ContextVar
from functools import partial

import httpx2
from pydantic import SecretStr
from pydantic_ai.direct import model_request_stream
from pydantic_ai.models import Model, create_async_httpx2_client
from pydantic_ai.profiles import ModelProfile

from workbench.domain.model_answers import Delta, ModelFailure, ModelFailureKind
from workbench.domain.model_requests import ModelRequest
from workbench.domain.models import Provider
from workbench.engine.ports import ModelAccess, ModelError
from workbench.models.clients.asking import WIRE, parameters, settings
from workbench.models.clients.deltas import DeltaReader
from workbench.models.clients.failures import translated
from workbench.models.clients.history import SYSTEMS, messages
from workbench.models.rejections import rejected
from workbench.models.wire import KEY, Wire

_KEPT = 32
_NO_TIME = 60.0
"""Seconds for what never leaves; the clients warn of fewer."""

_HEADERS = frozenset(
    {"content-type", "authorization", "x-api-key", "x-goog-api-key", "anthropic-version", "anthropic-beta"}
)

_Key = tuple[Provider, str, object, str | None, SecretStr | None]

_RESPONSES: ContextVar[list[httpx2.Response]] = ContextVar("responses")
"""What this stream has open. Not every client closes its connection when its stream is left early."""


async def _remember(response: httpx2.Response) -> None:
    if (responses := _RESPONSES.get(None)) is not None:
        responses.append(response)


class Clients:
    """`lane` runs what blocks: importing a provider's own library, and reading certificates."""

    def __init__(self, lane: Executor) -> None:
        self._lane = lane
        self._http: httpx2.AsyncClient | None = None
        self._models: OrderedDict[_Key, Model] = OrderedDict()

    async def stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        """One attempt, without time limits. Raises ModelError."""
        responses: list[httpx2.Response] = []
        _RESPONSES.set(responses)
        try:
            async with aclosing(self._stream(request, access)) as deltas:
                async for delta in deltas:
                    yield delta
        finally:
            for response in responses:
                await response.aclose()

    async def _stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        with translated(request, access):
            model = await self._model(request, access)
        async with aclosing(self._asked(model, request, access)) as deltas:
            async for delta in deltas:
                yield delta

    async def _asked(self, model: Model, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        with translated(request, access):
            asked = model_request_stream(
                model,
                messages(request),
                model_settings=settings(request),
                model_request_parameters=parameters(request),
            )
            async with asked as stream:
                reader = DeltaReader(request, stream)
                async for event in stream:
                    for delta in reader.read(event):
                        yield delta
                for delta in reader.finish():
                    yield delta

    async def wire(self, request: ModelRequest, base_url: str | None) -> Wire:
        """How the client would send a request, caught where it would leave. Raises ModelError."""
        caught: list[Wire] = []

        def catch(sent: httpx2.Request) -> httpx2.Response:
            caught.append(_written(sent))
            return httpx2.Response(418)  # whatever the client makes of it

        access = ModelAccess(api_key=SecretStr(KEY), base_url=base_url)
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(catch), timeout=_NO_TIME) as http:
            make = partial(_MAKERS[request.provider], request, access, http)
            with translated(request, access):
                model = await asyncio.get_running_loop().run_in_executor(self._lane, make)
            try:
                async for _ in self._asked(model, request, access):
                    pass
            except ModelError:
                if not caught:
                    raise
        return caught[0]

    async def close(self) -> None:
        """Close every connection."""
        self._models.clear()
        if self._http is not None:
            await self._http.aclose()

    async def _model(self, request: ModelRequest, access: ModelAccess) -> Model:
        wire = request.provider_options.get(WIRE)
        key = (request.provider, request.model, wire, access.base_url, access.api_key)
        if key in self._models:
            self._models.move_to_end(key)
            return self._models[key]
        model = await asyncio.get_running_loop().run_in_executor(self._lane, self._make, request, access)
        self._models[key] = model
        if len(self._models) > _KEPT:
            self._models.popitem(last=False)
        return model

    def _make(self, request: ModelRequest, access: ModelAccess) -> Model:
        if self._http is None:
            self._http = create_async_httpx2_client()
            self._http.event_hooks = {**self._http.event_hooks, "response": [_remember]}
        return _MAKERS[request.provider](request, access, self._http)


def _written(sent: httpx2.Request) -> Wire:
    """What says something of a request: the libraries tell of themselves in many more headers."""
    headers = {name: value for name, value in sent.headers.items() if name in _HEADERS}
    return Wire(sent.method, str(sent.url), headers, sent.content)


def _openai(request: ModelRequest, access: ModelAccess, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    url = access.base_url or "https://api.openai.com/v1"
    provider = OpenAIProvider(base_url=url, api_key=_key(access, request), http_client=http)
    kind = OpenAIResponsesModel if request.provider_options.get(WIRE) == "responses" else OpenAIChatModel
    return kind(request.model, provider=provider, profile=_openai_profile())


def _compatible(request: ModelRequest, access: ModelAccess, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if not access.base_url:
        raise rejected(
            f"{request.model}: it is not said where its server is.", "Add base_url= to its definition."
        )
    provider = OpenAICompatibleProvider(
        SYSTEMS[request.provider],
        base_url=access.base_url,
        api_key=access.api_key.get_secret_value() if access.api_key else None,
        http_client=http,
    )
    return OpenAIChatModel(request.model, provider=provider, profile=_openai_profile(old_fields=True))


def _anthropic(request: ModelRequest, access: ModelAccess, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    url = access.base_url or "https://api.anthropic.com"
    provider = AnthropicProvider(base_url=url, api_key=_key(access, request), http_client=http)
    return AnthropicModel(request.model, provider=provider)


def _google(request: ModelRequest, access: ModelAccess, http: httpx2.AsyncClient) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(base_url=access.base_url, api_key=_key(access, request), http_client=http)
    return GoogleModel(request.model, provider=provider)


def _openrouter(request: ModelRequest, access: ModelAccess, http: httpx2.AsyncClient) -> Model:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openrouter import OpenRouterModel
    from pydantic_ai.providers.openrouter import OpenRouterProvider

    url = access.base_url or "https://openrouter.ai/api/v1"
    client = AsyncOpenAI(base_url=url, api_key=_key(access, request), http_client=http)
    provider = OpenRouterProvider(openai_client=client)
    return OpenRouterModel(request.model, provider=provider, profile=_openai_profile(old_fields=True))


def _openai_profile(*, old_fields: bool = False) -> ModelProfile:
    """A stream that ends without saying why was cut off: half an answer must not pass for a whole one.

    `old_fields` are those that every server knows, where OpenAI's own has newer ones.
    """
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    return OpenAIModelProfile(
        openai_chat_streaming_requires_finish_reason=True,
        openai_chat_supports_max_completion_tokens=not old_fields,
    )


_MAKERS: dict[Provider, Callable[[ModelRequest, ModelAccess, httpx2.AsyncClient], Model]] = {
    Provider.OPENAI: _openai,
    Provider.OPENAI_COMPATIBLE: _compatible,
    Provider.ANTHROPIC: _anthropic,
    Provider.GOOGLE: _google,
    Provider.OPENROUTER: _openrouter,
}


def _key(access: ModelAccess, request: ModelRequest) -> str:
    """Never from the environment, where the client libraries would look for one: keys are variables (V1)."""
    if access.api_key is None:
        failure = ModelFailure(
            kind=ModelFailureKind.AUTH,
            message=f"{request.model}: its provider wants a key.",
            hint="Name the variable that holds it as key_variable= of the model's definition.",
        )
        raise ModelError(failure)
    return access.api_key.get_secret_value()
