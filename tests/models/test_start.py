"""The client library of the real providers is not there before somebody asks one of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.architecture.tree import ROOT

PROGRAM = """
import asyncio, pathlib, sys
import workbench.app, workbench.cli.main, workbench.models
from workbench.domain.model_requests import ModelRequest
from workbench.engine.ports import ModelAccess

FOREIGN = {"pydantic_ai", "openai", "anthropic", "google.genai", "httpx2", "httpx", "genai_prices"}

def there():
    return sorted(FOREIGN & sys.modules.keys())

async def main():
    models = workbench.models.Models(pathlib.Path())
    print(there())
    request = ModelRequest(provider="scripted", model="default")
    async for _ in models.stream(request, ModelAccess()):
        pass
    print(there())
    remote = ModelRequest(provider="openai", model="m")
    try:
        async for _ in models.stream(remote, ModelAccess()):
            pass
    except Exception as error:
        print(type(error).__name__)
    print("pydantic_ai" in there(), "anthropic" in there())
    await models.close()

asyncio.run(main())
"""


@pytest.mark.slow
def test_nothing_foreign_is_imported_before_a_provider_is_asked() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[]", "[]", "ModelError", "True False"]
