"""A copy of the sample to work on, and the `workbench` command to work with: in this process, or as itself."""

from __future__ import annotations

import io
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
from workbench.cli import main

ROOT = Path(__file__).parents[2]
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
def sample(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """The sample project, to be changed at will: all of it, or what the mark `of_sample` leaves."""
    copy = tmp_path / "sample"
    shutil.copytree(
        resources_dir() / "sample", copy, ignore=shutil.ignore_patterns(".workbench", "__pycache__")
    )
    mark = request.node.get_closest_marker("of_sample")
    if mark is not None and mark.args:
        for file in (*copy.glob("agents/*/**/*.*"), *copy.glob("bot/tools/*.*")):
            if file.stem not in mark.args:
                file.unlink()
    return copy


def _no_window(project: Path) -> int:
    raise AssertionError(f"a window was to open on {project}")


@pytest.fixture
def cli(sample: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs the command line in the sample and in this process: all of it but the interpreter's start."""

    def run(*arguments: str, stdin: str | bytes = "", cwd: Path | None = None, **env: str) -> Ended:
        capsys.readouterr()
        with monkeypatch.context() as patch:
            patch.chdir(cwd or sample)
            data = stdin.encode() if isinstance(stdin, str) else stdin
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
            for name, value in env.items():
                patch.setenv(name, value)
            code = main.run(_no_window, arguments)
        out, err = capsys.readouterr()
        return Ended(code, out, err)

    return run


@pytest.fixture
def command(sample: Path) -> Cli:
    """Runs `workbench` in the sample as a process of its own, its output into pipes."""

    def run(*arguments: str, stdin: str = "", **env: str) -> Ended:
        ended = subprocess.run(
            [sys.executable, "-m", "workbench", *arguments],
            input=stdin.encode(),
            capture_output=True,
            cwd=sample,
            env={**os.environ, "PYTHONPATH": str(ROOT), **env},
            timeout=TIMEOUT,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    return run


@pytest.fixture
def keyring(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine whose keyring is open: a backend that keeps its secrets in one file.

    It calls itself by the name of a trusted one, because secrets are given to no other.
    """
    (tmp_path / "open_keyring.py").write_text(
        """
import json
from pathlib import Path

from keyring.backend import KeyringBackend


class OpenKeyring(KeyringBackend):
    __module__ = "keyring.backends.kwallet"
    priority = 1
    file = Path(__file__).with_name("secrets.json")

    def _all(self):
        return json.loads(self.file.read_text()) if self.file.exists() else {}

    def get_password(self, service, username):
        return self._all().get(f"{service} {username}")

    def set_password(self, service, username, password):
        self.file.write_text(json.dumps(self._all() | {f"{service} {username}": password}))

    def delete_password(self, service, username):
        kept = self._all()
        del kept[f"{service} {username}"]
        self.file.write_text(json.dumps(kept))
"""
    )
    return {
        "PYTHON_KEYRING_BACKEND": "open_keyring.OpenKeyring",
        "PYTHONPATH": f"{ROOT}:{tmp_path}",
    }
