"""Two processes on one project, each with an engine and an opening of the store of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from tests.engine.two_processes import second_process


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


@pytest.fixture
async def other(rig: ThreadRig, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ThreadRig]:
    """Another process on the same project."""
    async with second_process(rig, monkeypatch) as other:
        yield other
