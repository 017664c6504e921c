"""Every model there is, behind the one port: each request goes to who can answer it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

from workbench.base.errors import UserError
from workbench.domain.model_answers import Delta
from workbench.domain.model_requests import ModelRequest
from workbench.domain.models import Provider
from workbench.engine.ports import ModelAccess, ModelPort
from workbench.models.human import HumanModels
from workbench.models.remote import RemoteModels
from workbench.models.scripted import ScriptedModels
from workbench.models.wire import Wire


class Models:
    """The ModelPort of a project; `root` is its folder, where scripts lie. Opening it costs nothing."""

    def __init__(self, root: Path) -> None:
        self.scripted = ScriptedModels(root)
        self.human = HumanModels()
        self._remote = RemoteModels()

    def stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        """See ModelPort."""
        return self._port(request.provider).stream(request, access)

    async def wire(self, request: ModelRequest, base_url: str | None) -> Wire:
        """How a request is written for its provider; nothing is sent.

        Raises ModelError, and UserError for a provider without a wire.
        """
        if request.provider in (Provider.SCRIPTED, Provider.HUMAN):
            raise UserError(
                f"A {request.provider.value} model is asked within Workbench: nothing goes over a wire."
            )
        return await self._remote.wire(request, base_url)

    async def close(self) -> None:
        """See ModelPort."""
        await self.human.close()
        await self._remote.close()

    def _port(self, provider: Provider) -> ModelPort:
        match provider:
            case Provider.SCRIPTED:
                return self.scripted
            case Provider.HUMAN:
                return self.human
            case _:
                return self._remote
