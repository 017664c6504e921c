"""Makes `.venv` in this checkout hold what the lock files name, once, and knows when nothing is left to do."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from pathlib import Path

import system_packages

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
RUNTIME_LOCK = ROOT / "requirements.lock"
DEV_LOCK = ROOT / "packaging" / "requirements-dev.lock"
SANDBOX = ROOT / "resources" / "sandbox"
OLDEST, NEWEST = (3, 11), (3, 13)

STILL_SECONDS = 20.0
"""So often it is said that an installation goes on."""

# Written last: an interrupted installation has none and is taken up again by the next run.
_STAMP = VENV / "installed.stamp"
_PIP = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input"]
_LOAD_QT = "import PySide6.QtGui, PySide6.QtWidgets"


class UserFacingError(Exception):
    """Set-up cannot go on; the message says what to do."""


@contextlib.contextmanager
def reported_errors() -> Generator[None]:
    """Ends the program with the message of a UserFacingError, and quietly on Ctrl-C."""
    try:
        yield
    except UserFacingError as error:
        sys.exit(f"workbench: {error}")
    except KeyboardInterrupt:
        sys.exit("workbench: stopped; the next run takes up where this one was")


def check_python() -> None:
    """Refuses an interpreter that Workbench does not run on."""
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        raise UserFacingError(
            f"this is Python {sys.version_info[0]}.{sys.version_info[1]}; Workbench needs Python 3.11, 3.12 or 3.13."
            f" Run it with one of these, for example: python3.{NEWEST[1]} {' '.join(sys.argv)}"
        )
    if sys.platform != "linux":
        say(f"Workbench is tested on Linux only; trying on {sys.platform} all the same.")


def prepare(*, dev: bool) -> None:
    """Make `.venv` current: runtime packages and the `workbench` command, with `dev` what the tests need too.

    Takes milliseconds when the stamp says that nothing changed. Raises UserFacingError.
    """
    wanted = _wanted_stamp(dev=dev)
    with _one_at_a_time():
        if _is_stamped(wanted):
            return
        started = time.monotonic()
        _STAMP.unlink(missing_ok=True)
        _make_venv()
        locks = [RUNTIME_LOCK, DEV_LOCK] if dev else [RUNTIME_LOCK]
        _install_locked(locks)
        _install_workbench()
        _check_qt()
        _STAMP.write_text("".join(f"{line}\n" for line in wanted), "utf-8")
        say(f"Ready after {time.monotonic() - started:.0f} s.")


def prepare_sandbox(*, required: bool) -> None:
    """Build what JavaScript and TypeScript run in, where it is not there or is of older sources.

    Without it everything else works, so only with `required` it raises UserFacingError.
    """
    with _one_at_a_time():
        built = subprocess.run(_build_sandbox(), check=False)
    if built.returncode == 0:
        return
    if required:
        raise UserFacingError("the sandbox could not be built; why stands above")
    say("Everything but JavaScript and TypeScript works without it; `workbench doctor` says how to build it.")


def begin_sandbox() -> subprocess.Popen[bytes] | None:
    """Build it beside what comes next, where there is none at all; else see to it now, as `prepare_sandbox` does.

    The first build takes minutes, and the window loads what needs it once it is there. Returns what goes on.
    """
    if SANDBOX.exists():
        prepare_sandbox(required=False)
        return None
    with _one_at_a_time() as lock:
        say("JavaScript and TypeScript come a little later: what they run in is built beside the window.")
        # It inherits the lock, which says for as long as it works that the sandbox is being built.
        return subprocess.Popen(["nice", *_build_sandbox()], pass_fds=[lock], stdin=subprocess.DEVNULL)


def _build_sandbox() -> list[str]:
    return [str(PYTHON), str(ROOT / "packaging" / "sandbox" / "build.py")]


def require_system(*libraries: Mapping[str, str]) -> None:
    """Make sure that the system brings all it must, installing packages where that is possible; else names them all."""
    needed = {library: package for group in libraries for library, package in group.items()}
    missing = system_packages.missing_libraries(needed)
    if not PYTHON.exists():
        missing += system_packages.venv_package()
    if not missing:
        return
    if not system_packages.can_install():
        raise UserFacingError(
            "some system packages are missing (Qt's libraries, or what makes a virtual environment)."
            f" Paste this line, then try again:\n{system_packages.install_line(missing)}"
        )
    say(f"Installing system packages: {', '.join(missing)} …")
    if not system_packages.install(missing):
        raise UserFacingError(
            f"these system packages could not be installed: {', '.join(missing)}. What apt said stands above."
        )


def say(line: str) -> None:
    """A line of progress, at once, also into a pipe."""
    print(line, flush=True)


def _wanted_stamp(*, dev: bool) -> list[str]:
    """One line per part; each depends on all that could change what the part installs, and where."""
    base = hashlib.sha256("\0".join([sys.version, sys.base_prefix, str(ROOT)]).encode())
    base.update((ROOT / "pyproject.toml").read_bytes())
    base.update(RUNTIME_LOCK.read_bytes())
    lines = [f"runtime {base.hexdigest()}"]
    if dev:
        base.update(DEV_LOCK.read_bytes())
        lines.append(f"dev {base.hexdigest()}")
    return lines


def _is_stamped(wanted: list[str]) -> bool:
    try:
        return set(wanted) <= set(_STAMP.read_text("utf-8").splitlines())
    except OSError:
        return False


@contextlib.contextmanager
def _one_at_a_time() -> Generator[int]:
    """Two commands started together do not install into the same folder: the second waits for the first.

    Yields the handle that holds the lock; a program that inherits it holds it, too.
    """
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Another command is installing here; waiting for it …")
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield folder
    finally:
        os.close(folder)


def _make_venv() -> None:
    """A `.venv` of this very Python with a working pip: the one that is there, else a new one."""
    probe = "import sys, pip; print(sys.version, sys.base_prefix, sep='\\0', end='')"
    with contextlib.suppress(OSError):
        there = subprocess.run([PYTHON, "-c", probe], capture_output=True, text=True, check=False)
        if there.returncode == 0 and there.stdout == f"{sys.version}\0{sys.base_prefix}":
            return
    say(f"Making .venv with Python {sys.version.split()[0]} …")
    _run([_base_python(), "-m", "venv", "--clear", str(VENV)], "making .venv")


def _base_python() -> str:
    """The interpreter outside of any virtual environment, since `.venv` may be the one that runs us."""
    if sys.prefix == sys.base_prefix:
        return sys.executable
    return str(Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}"))


def _install_locked(locks: list[Path]) -> None:
    total = sum(lock.read_text("utf-8").count("==") for lock in locks)
    say(f"Installing up to {total} packages, each checked against its hash (the first time takes a while) …")
    requirements = [word for lock in locks for word in ("-r", str(lock))]
    _run([*_PIP, "install", "--require-hashes", "--no-deps", *requirements], "installing the packages")


def _install_workbench() -> None:
    say("Adding the `workbench` command …")
    _run(
        [*_PIP, "install", "--no-deps", "--no-build-isolation", "-e", str(ROOT)],
        "installing Workbench itself",
    )


def _check_qt() -> None:
    """Raises UserFacingError with Qt's own words when Qt does not load although its libraries are there."""
    looked = subprocess.run([PYTHON, "-c", _LOAD_QT], capture_output=True, text=True, check=False)
    if looked.returncode != 0:
        raise UserFacingError(f"Qt does not load on this system:\n{looked.stderr.strip()}")


def _run(command: list[str], what: str) -> None:
    """Run quietly, saying now and then that it goes on; on failure show all that the program said."""
    started = time.monotonic()
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as running:
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    output, _ = running.communicate(timeout=STILL_SECONDS)
                    break
                say(f"  … still {what}, for {time.monotonic() - started:.0f} s")
        except BaseException:
            running.kill()
            raise
    if running.returncode != 0:
        raise UserFacingError(f"{what} failed:\n{output.decode('utf-8', 'replace').strip()}")
