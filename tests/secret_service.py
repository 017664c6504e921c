"""A real keyring for tests: a Secret Service of its own, on a bus of its own, in folders of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import keyring
import pytest
import secretstorage
from keyring.backends import SecretService as Backend

# The bus starts no service by itself: a daemon that a test ended stays ended.
_BUS = """\
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir={folder}</listen>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>
"""
_PROGRAMS = ("dbus-daemon", "gnome-keyring-daemon")


class SecretService:
    """A running bus and keyring daemon, and what a person or a fault may do to them.

    `environ` is what a process needs to reach it. Without a display no prompt can be shown, so a locked keyring
    says so at once.
    """

    def __init__(self, folder: Path) -> None:
        for name in ("home", "run"):
            (folder / name).mkdir(mode=0o700)
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder / "home"),
            "XDG_RUNTIME_DIR": str(folder / "run"),
        }
        config = folder / "bus.conf"
        config.write_text(_BUS.format(folder=folder))
        self._bus = subprocess.Popen(
            ["dbus-daemon", f"--config-file={config}", "--nofork", "--print-address=1"],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._bus.stdout
        with self._bus.stdout as address:
            environ["DBUS_SESSION_BUS_ADDRESS"] = address.readline().decode().strip()
        self.environ: Mapping[str, str] = environ
        self._daemon = self._start_daemon()

    def lock(self) -> None:
        """What a screen lock does."""
        with closing(secretstorage.dbus_init()) as bus:
            secretstorage.get_collection_by_alias(bus, "default").lock()

    def unlock(self) -> None:
        """What logging in again does."""
        self._end(self._daemon)
        self._daemon = self._start_daemon()

    @contextmanager
    def not_answering(self) -> Generator[None]:
        """Inside, every call to the keyring blocks, as behind a prompt that nobody sees."""
        self._daemon.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._daemon.send_signal(signal.SIGCONT)

    def die(self) -> None:
        """What a crash does; `unlock` starts it again."""
        self._end(self._daemon)

    def revive(self) -> None:
        """The daemon has been seen to crash by itself; that must not be the end of every test that follows."""
        if self._daemon.poll() is not None:
            self._daemon = self._start_daemon()

    def close(self) -> None:
        self._end(self._daemon)
        self._end(self._bus)

    def _start_daemon(self) -> subprocess.Popen[bytes]:
        daemon = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"],
            env=self.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert daemon.stdin
        assert daemon.stdout
        with daemon.stdin as password, daemon.stdout as ready:
            password.write(b"pw\n")
            password.close()
            ready.readline()  # it names its socket when it has taken the password
        return daemon

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait(10)


@pytest.fixture(scope="session")
def secret_service_process() -> Generator[SecretService]:
    missing = [program for program in _PROGRAMS if shutil.which(program) is None]
    if missing:
        reason = f"a real keyring needs {' and '.join(missing)} (Debian: gnome-keyring, dbus)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with tempfile.TemporaryDirectory(prefix="workbench-keyring-") as folder:
        service = SecretService(Path(folder))
        yield service
        service.close()


@pytest.fixture
def secret_service(
    secret_service_process: SecretService, monkeypatch: pytest.MonkeyPatch
) -> Generator[SecretService]:
    """A real, unlocked keyring, which the keyring library of this process uses for the test."""
    secret_service_process.revive()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", secret_service_process.environ["DBUS_SESSION_BUS_ADDRESS"])
    before = keyring.get_keyring()
    keyring.set_keyring(Backend.Keyring())
    yield secret_service_process
    keyring.set_keyring(before)
