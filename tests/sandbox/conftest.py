"""A sandbox for a test, and what happens where it was not built: in CI a failure, elsewhere a reason to skip."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.sandbox.typescript_folder import TypescriptFolder
from workbench.sandbox import Resources, Sandbox, SandboxUnavailable


@pytest.fixture(autouse=True, scope="session")
def _built() -> None:
    try:
        Resources.find()
    except SandboxUnavailable as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TypescriptFolder]:
    """A project with the host of its TypeScript files, for all tests of a module."""
    made = TypescriptFolder(tmp_path_factory.mktemp("typescript"))
    yield made
    await made.close()


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    """A sandbox of the test's own, with the ceiling that people have."""
    made = Sandbox()
    yield made
    await made.close()


@pytest.fixture
async def small() -> AsyncIterator[Sandbox]:
    """A sandbox whose runs may take 16 MiB, so that what fills it is quick."""
    made = Sandbox(memory_bytes=16 << 20)
    yield made
    await made.close()
