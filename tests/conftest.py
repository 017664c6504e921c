"""What every test stands on: no real network, no folders or keyring of the person, nothing goes unnoticed."""

from __future__ import annotations

import gc
import ipaddress
import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, settings

from workbench.hosts import pool

# Read by Qt, keyring and platformdirs when they are first used, so set before any test module is imported.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["QT_API"] = "pyside6"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

settings.register_profile(
    "quick",
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


class RealNetworkError(RuntimeError):
    """A test tried to reach something other than this machine."""


def _is_loopback(host: object) -> bool:
    if isinstance(host, bytes | bytearray):
        host = host.decode("ascii", "replace")
    if host in (None, "", "localhost"):
        return True
    try:
        return ipaddress.ip_address(str(host)).is_loopback
    except ValueError:
        return False


def _refuse_real_network(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: it sees every socket of this process, whichever library opened it."""
    if event in {"socket.connect", "socket.sendto", "socket.sendmsg"}:
        address = arguments[1]
        host = (
            cast("object", address[0]) if isinstance(address, tuple) else None
        )  # a Unix socket's address is a path
    elif event in {"socket.getaddrinfo", "socket.gethostbyname"}:
        host = arguments[0]
    else:
        return
    if not _is_loopback(host):
        raise RealNetworkError(f"{event} to {host!r}: tests talk to this machine only")


def pytest_configure() -> None:
    sys.addaudithook(_refuse_real_network)
    gc.disable()  # all that is imported now stays


def pytest_collection_finish() -> None:
    """What was imported is left alone: looked through for garbage again and again, it would hold up each test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)  # as the program itself has it
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def _own_folders() -> Iterator[None]:
    """The person's folders are empty ones that go away with the test run."""
    with (
        tempfile.TemporaryDirectory(prefix="workbench-tests-") as name,
        pytest.MonkeyPatch.context() as patch,
    ):
        for variable, folder in {
            "HOME": "home",
            "XDG_CONFIG_HOME": "home/.config",
            "XDG_DATA_HOME": "home/.local/share",
            "XDG_STATE_HOME": "home/.local/state",
            "XDG_CACHE_HOME": "home/.cache",
        }.items():
            path = Path(name, folder)
            path.mkdir(parents=True, exist_ok=True)
            patch.setenv(variable, str(path))
        _share_compiled_modules(Path(name, "home/.cache/workbench/sandbox"))
        yield


def _share_compiled_modules(sandbox_cache: Path) -> None:
    """What the sandbox compiles takes seconds and is the same for every test run of a checkout."""
    compiled = Path(__file__).parent.parent / "build" / "sandbox"
    compiled.mkdir(parents=True, exist_ok=True)
    sandbox_cache.parent.mkdir(parents=True)
    sandbox_cache.symlink_to(compiled, target_is_directory=True)


@pytest.fixture(autouse=True)
def _spare_workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """None start: half of all workers would be spares that nobody asks for."""
    if request.node.get_closest_marker("bench") is None:
        monkeypatch.setattr(pool, "SPARE_SECONDS", 600.0)


class _Collected(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname} {record.name}: {record.getMessage()}")


@pytest.fixture(autouse=True)
def _no_unexpected_log(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that logs a warning or worse fails, unless it asks for `caplog` and looks at the log itself."""
    if "caplog" in request.fixturenames:
        yield
        return
    collected = _Collected()
    root = logging.getLogger()
    root.addHandler(collected)
    try:
        yield
    finally:
        root.removeHandler(collected)
    if collected.lines:
        pytest.fail("Logged without being expected:\n" + "\n".join(collected.lines), pytrace=False)
