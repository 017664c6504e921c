"""The real providers: their client library comes in on first use, and an answer that stalls is given up."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from workbench.domain.model_answers import Delta, ModelFailure, ModelFailureKind
from workbench.domain.model_requests import ModelRequest
from workbench.domain.models import Provider
from workbench.engine.ports import ModelAccess, ModelError
from workbench.models.wire import Wire

if TYPE_CHECKING:
    from workbench.models.clients.clients import Clients

_CLIENTS = "workbench.models.clients.clients"

_EXTRAS: Mapping[Provider, str] = {
    Provider.OPENAI: "openai",
    Provider.OPENAI_COMPATIBLE: "openai",
    Provider.OPENROUTER: "openai",
    Provider.ANTHROPIC: "anthropic",
    Provider.GOOGLE: "google",
}


class RemoteModels:
    """A ModelPort for every provider that is reached over the network."""

    def __init__(self) -> None:
        self._lane = ThreadPoolExecutor(max_workers=1, thread_name_prefix="model-clients")
        self._clients: Clients | None = None

    async def stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        """See ModelPort. A key never comes from the environment."""
        limit = access.first_piece_timeout
        try:
            clients = await self._loaded()
            deltas = clients.stream(request, access)
            async with aclosing(deltas):
                while True:
                    async with asyncio.timeout(limit):
                        delta = await anext(deltas, None)
                    if delta is None:
                        return
                    yield delta
                    limit = access.next_piece_timeout
        except TimeoutError:
            message = f"{request.model}: nothing came for {limit:g} s."
            raise ModelError(ModelFailure(kind=ModelFailureKind.TIMEOUT, message=message)) from None
        except ImportError as error:
            raise ModelError(_not_installed(request.provider, error)) from error

    async def wire(self, request: ModelRequest, base_url: str | None) -> Wire:
        """How a request is written for its provider; nothing is sent. Raises ModelError."""
        try:
            return await (await self._loaded()).wire(request, base_url)
        except ImportError as error:
            raise ModelError(_not_installed(request.provider, error)) from error

    async def close(self) -> None:
        """See ModelPort."""
        if self._clients is not None:
            await self._clients.close()
        self._lane.shutdown(wait=False)

    async def _loaded(self) -> Clients:
        if self._clients is None:
            loop = asyncio.get_running_loop()
            module = await loop.run_in_executor(self._lane, importlib.import_module, _CLIENTS)
            if self._clients is None:  # two may have asked at once
                self._clients = cast("type[Clients]", module.Clients)(self._lane)
        return self._clients


def _not_installed(provider: Provider, error: ImportError) -> ModelFailure:
    return ModelFailure(
        kind=ModelFailureKind.REJECTED,
        message=f"What is needed to speak to {provider.value} is not installed.",
        hint=f'Install it: pip install "agent-tool-workbench[{_EXTRAS[provider]}]"',
        detail=str(error),
    )
