"""Pins every dependency by hash: what running needs, beside this script what testing adds, and the peers of the bench.

Run it after a change of the dependencies in pyproject.toml, or to take newer versions:

    python3 packaging/lock.py             # keeps the versions that still fit
    python3 packaging/lock.py --upgrade   # takes the newest that fit

One resolution serves the first two files, every supported Python and both processors, so what is tested is what runs.
The peers that speed is measured against have one of their own: they share nothing with us.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import tomllib
from setup_environment import DEV_LOCK, ROOT, RUNTIME_LOCK

PEERS = [
    "langgraph>=1.2,<2",
    "langgraph-checkpoint-sqlite>=3.1,<4",
    "openai-agents>=0.24,<0.25",
    "pydantic-ai-slim>=2.68,<3",
]
PEERS_LOCK = ROOT / "packaging" / "requirements-peers.lock"

RESOLVER = "uv>=0.13,<0.14"
COMPILE = ["--universal", "--python-version", "3.11", "--generate-hashes", "--quiet"]
ANONYMOUS = ["--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links", "--no-config"]
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def pins(text: str) -> dict[str, str]:
    """The pins of a lock file by name; a pin is its first line and the hash lines below it."""
    found: dict[str, str] = {}
    for block in re.split(r"^(?=\S)", text, flags=re.MULTILINE):
        name = _NAME.match(block)
        if name:
            found[name.group()] = block
    return found


def _version(pin: str) -> str:
    """`name==version`, without the marker: testing may need on every system what running needs on one."""
    return pin.partition(" ")[0]


def _resolver(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "--quiet", RESOLVER], check=True)
    return folder / "bin" / "uv"


def _lock(uv: Path, folder: Path, *, upgrade: bool) -> None:
    project = ROOT / "pyproject.toml"
    build = folder / "build-requirements.in"
    build.write_text("\n".join(tomllib.loads(project.read_text("utf-8"))["build-system"]["requires"]) + "\n")
    everything = folder / "everything.lock"
    if not upgrade:
        everything.write_text("".join(lock.read_text() for lock in (RUNTIME_LOCK, DEV_LOCK) if lock.exists()))
    compile_ = [uv, "pip", "compile", *COMPILE, *ANONYMOUS, project, build, "--extra", "all"]
    subprocess.run([*compile_, "--extra", "dev", "--output-file", everything], check=True, cwd=ROOT)
    runtime = folder / "runtime.lock"
    subprocess.run([*compile_, "--constraint", everything, "--output-file", runtime], check=True, cwd=ROOT)

    all_pins, runtime_pins = pins(everything.read_text()), pins(runtime.read_text())
    strangers = [
        name for name, pin in runtime_pins.items() if _version(pin) != _version(all_pins.get(name, ""))
    ]
    if strangers:
        raise SystemExit(f"the two resolutions differ on {', '.join(strangers)}")
    RUNTIME_LOCK.write_text("".join(runtime_pins.values()))
    DEV_LOCK.write_text("".join(pin for name, pin in all_pins.items() if name not in runtime_pins))


def _lock_peers(uv: Path, folder: Path, *, upgrade: bool) -> None:
    wanted, locked = folder / "peers.in", folder / "peers.lock"
    wanted.write_text("\n".join(PEERS) + "\n")
    if PEERS_LOCK.exists() and not upgrade:
        locked.write_text(PEERS_LOCK.read_text())
    subprocess.run([uv, "pip", "compile", *COMPILE, *ANONYMOUS, wanted, "--output-file", locked], check=True)
    PEERS_LOCK.write_text(locked.read_text())


def main() -> None:
    """Resolve with a resolver of its own, so that locking needs nothing installed."""
    upgrade = "--upgrade" in sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="workbench-lock-") as name:
        uv = _resolver(Path(name, "resolver"))
        _lock(uv, Path(name), upgrade=upgrade)
        _lock_peers(uv, Path(name), upgrade=upgrade)
    print(f"Wrote {RUNTIME_LOCK.name}, {DEV_LOCK.name} and {PEERS_LOCK.name}.")


if __name__ == "__main__":
    main()
