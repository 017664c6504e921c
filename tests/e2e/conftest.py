"""The sample, open; and the same command to work with as the command line's own tests."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cli.conftest import command, sample
from workbench.app import Workbench, open_workbench
from workbench.base.paths import resources_dir

__all__ = ["command", "sample"]


@pytest.fixture
async def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Workbench]:
    """The sample, open, with its secret in the environment."""
    monkeypatch.setenv("WORKBENCH_SECRET_LINK_KEY", "correct-horse-battery")
    copy = tmp_path / "sample"
    shutil.copytree(
        resources_dir() / "sample", copy, ignore=shutil.ignore_patterns(".workbench", "__pycache__")
    )
    async with open_workbench(copy) as wb:
        await wb.settled()
        yield wb
