"""Every model there is, behind the one port: each request goes to who can answer it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

from workbench.domain.model_answers import Delta
from workbench.domain.model_requests import ModelRequest
from workbench.domain.models import Provider
from workbench.engine.ports import ModelAccess, ModelPort
from workbench.models.human import HumanModels
from workbench.models.remote import RemoteModels
from workbench.models.scripted import ScriptedModels


class Models:
    """The ModelPort of a project; `root` is its folder, where scripts lie. Opening it costs nothing."""

    def __init__(self, root: Path) -> None:
        self.scripted = ScriptedModels(root)
        self.human = HumanModels()
        self._remote = RemoteModels()

    def stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        """See ModelPort."""
        return self._port(request.provider).stream(request, access)

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
