"""Small projects on disk, opened with a vault in memory and a person's folder of their own."""

from __future__ import annotations

import shutil
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests.app.projects import ECHO, OpenProject, write_tool
from workbench.app import Workbench, open_workbench
from workbench.base.paths import resources_dir
from workbench.engine.doubles.vault import MemoryVault


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one tool, `echo`."""
    root = tmp_path / "desk"
    write_tool(root, "echo", ECHO)
    return root


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A copy of the sample project."""
    ignored = shutil.ignore_patterns(".workbench", "__pycache__")
    return Path(shutil.copytree(resources_dir() / "sample", tmp_path / "sample", ignore=ignored))


@pytest.fixture
def opened(tmp_path: Path) -> OpenProject:
    """`open_workbench` with this test's own vault and folders."""
    vault = MemoryVault()

    def open_it(
        root: Path,
        *,
        watch: bool = False,
        read_only: bool = False,
        load: bool = True,
        connect: bool = True,
    ) -> AbstractAsyncContextManager[Workbench]:
        return open_workbench(
            root,
            data_dir=tmp_path / "person",
            vault=vault,
            watch=watch,
            read_only=read_only,
            load=load,
            connect=connect,
        )

    return open_it
