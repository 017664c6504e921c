"""The peers that speed is measured against, in an environment of their own: `.venv-peers`, made on first use."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from workbench.base.paths import resources_dir

ROOT = resources_dir().parent
LOCK = ROOT / "packaging" / "requirements-peers.lock"
VENV = ROOT / ".venv-peers"
PYTHON = VENV / "bin" / "python"
PEERS = Path(__file__).parent / "peers"


class NotInstalled(Exception):
    """The peers cannot be had; the message says why."""


def install() -> None:
    """Make the environment hold what the lock file names; at once when it does already. Raises NotInstalled."""
    wanted = hashlib.sha256(sys.version.encode() + LOCK.read_bytes()).hexdigest()
    stamp = VENV / "installed.stamp"
    VENV.mkdir(exist_ok=True)
    folder = os.open(VENV, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # two runs do not install at the same time
        if stamp.exists() and stamp.read_text("ascii") == wanted:
            return
        _run(sys.executable, "-m", "venv", str(VENV))
        _run(*_PIP, "install", "--require-hashes", "--no-deps", "--requirement", str(LOCK))
        stamp.write_text(wanted, "ascii")
    finally:
        os.close(folder)


_PIP = (str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input")


def _run(*command: str) -> None:
    done = subprocess.run(
        command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600
    )
    if done.returncode != 0:
        raise NotInstalled((done.stderr or done.stdout).strip()[-2_000:])


@dataclass(frozen=True, slots=True)
class Taken:
    """Seconds that a turn took, and seconds of CPU that its process used meanwhile."""

    wall: float
    cpu: float


class StepsPeer:
    """A process that takes turns of steps when it is told to."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def turn(self, steps: int) -> Taken:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{steps}\n".encode())
        return Taken(**await self.said())

    async def said(self) -> dict[str, float]:
        """The next line that it says."""
        assert self._process.stdout is not None
        async with asyncio.timeout(120):
            line = await self._process.stdout.readline()
        assert line, "the process of the peer has ended"
        return json.loads(line)


@asynccontextmanager
async def steps_peer(name: str, folder: Path) -> AsyncGenerator[StepsPeer]:
    """One that is ready; `workbench` is our own, in our own environment."""
    python = sys.executable if name == "workbench" else str(PYTHON)
    process = await asyncio.create_subprocess_exec(
        python,
        str(PEERS / f"steps_{name}.py"),
        str(folder),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        peer = StepsPeer(process)
        await peer.said()
        yield peer
    finally:
        assert process.stdin is not None
        process.stdin.close()
        async with asyncio.timeout(30):
            await process.wait()
