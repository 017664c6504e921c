"""Pins every dependency by hash: what running needs, and beside this script what testing adds.

Run it after a change of the dependencies in pyproject.toml, or to take newer versions:

    python3 packaging/lock.py             # keeps the versions that still fit
    python3 packaging/lock.py --upgrade   # takes the newest that fit

One resolution serves both files, every supported Python and both processors, so what is tested is what runs.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import tomllib
from setup_environment import DEV_LOCK, ROOT, RUNTIME_LOCK

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


def main() -> None:
    """Resolve with a resolver of its own, so that locking needs nothing installed."""
    with tempfile.TemporaryDirectory(prefix="workbench-lock-") as name:
        _lock(_resolver(Path(name, "resolver")), Path(name), upgrade="--upgrade" in sys.argv[1:])
    print(f"Wrote {RUNTIME_LOCK.name} and {DEV_LOCK.name}.")


if __name__ == "__main__":
    main()
