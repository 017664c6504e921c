"""A project of tools that is served."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.app.direct_projects import write_bot
from tests.server.http import TOKEN
from workbench.app import Workbench, open_workbench
from workbench.engine.doubles.vault import MemoryVault
from workbench.server import Server
from workbench.server.serving import Place


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    root = tmp_path / "Mail Desk"
    root.mkdir()
    return write_bot(root)


@pytest.fixture
async def wb(bot: Path, tmp_path: Path) -> AsyncIterator[Workbench]:
    async with open_workbench(bot, data_dir=tmp_path / "person", vault=MemoryVault()) as workbench:
        yield workbench


@pytest.fixture
async def server(wb: Workbench) -> AsyncIterator[Server]:
    served = await Server.start(wb, Place(port=0), token=TOKEN)
    yield served
    await served.stop(grace=0.0)
