"""A copy of the sample to work on, and the real `workbench` command to work with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from workbench.base.paths import resources_dir

TIMEOUT = 50


@dataclass(frozen=True)
class Ended:
    """How a command ended; `out` and `err` as they came."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Cli = Callable[..., Ended]


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """The sample project, to be changed at will."""
    copy = tmp_path / "sample"
    shutil.copytree(
        resources_dir() / "sample", copy, ignore=shutil.ignore_patterns(".workbench", "__pycache__")
    )
    return copy


@pytest.fixture
def cli(sample: Path) -> Cli:
    """Runs `workbench` in the sample, its output into pipes."""

    def run(*arguments: str, stdin: str | bytes = "", cwd: Path | None = None, **env: str) -> Ended:
        ended = subprocess.run(
            [sys.executable, "-m", "workbench", *arguments],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            cwd=cwd or sample,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **env},
            timeout=TIMEOUT,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    return run
