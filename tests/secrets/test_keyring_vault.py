"""The vault over a real keyring: locked, not answering, gone, shared with other processes, and who is let near it."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import keyring
import pytest

from tests.secret_service import SecretService
from workbench.base.errors import UserError
from workbench.base.ids import ProjectId, ThreadId, uuid7
from workbench.domain.variables import Place, Scope
from workbench.engine.ports import SecretKey
from workbench.secrets.lane import KNOCK_AGAIN_SECONDS
from workbench.secrets.vault import FRESH_SECONDS, KeyringVault

pytestmark = pytest.mark.rule("V4")

Test = TypeVar("Test", bound=Callable[..., object])

ROOT = Path(__file__).parents[2]
KEY = SecretKey(Scope.INSTANCE, "TOKEN")


class Hands:
    """A clock whose monotonic hand a test moves."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now_us(self) -> int:
        return 0

    def monotonic(self) -> float:
        return self.seconds


def keyring_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "keyring"]


@pytest.fixture
def collected() -> Generator[None]:
    yield
    for thread in keyring_threads():
        thread.join(10)
    gc.collect()


def leaves_open(test: Test) -> Test:
    """The keyring library leaves its connection open when it raises: it is collected here, not in the next test."""
    ignored = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
    return ignored(pytest.mark.usefixtures("collected")(test))


def make_vault(clock: Hands | None = None, *, timeout: float = 20.0) -> KeyringVault:
    return KeyringVault(ProjectId(uuid7()), {}, clock=clock, timeout=timeout)


# --- where secrets lie --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("secret_service")
async def test_accounts_are_named_by_scope_project_and_thread() -> None:
    project = ProjectId(uuid7())
    vault = KeyringVault(project, {})
    for key, account in {
        SecretKey(Scope.ACCOUNT, "TOKEN"): "account/TOKEN",
        SecretKey(Scope.INSTANCE, "TOKEN"): f"{project}/instance/TOKEN",
        SecretKey(Scope.THREAD, "TOKEN", ThreadId("018f")): f"{project}/thread/018f/TOKEN",
        SecretKey(Scope.ACCOUNT, "odd/name#1"): "account/odd%2Fname%231",
    }.items():
        await vault.set(key, account)
        assert keyring.get_password("workbench", account) == account
        await vault.delete(key)
        assert keyring.get_password("workbench", account) is None


@pytest.mark.usefixtures("secret_service")
async def test_account_secrets_are_shared_by_projects_and_instance_secrets_are_not() -> None:
    one, other = make_vault(), make_vault()
    account = SecretKey(Scope.ACCOUNT, "SHARED")
    await one.set(account, "for all")
    await one.set(KEY, "for one")
    assert await other.get(account) == ("for all", Place.KEYRING)
    assert await other.get(KEY) is None
    await one.delete(account)


@pytest.mark.usefixtures("secret_service")
async def test_no_entry_is_longer_than_every_keyring_takes_and_none_is_left_behind() -> None:
    project = ProjectId(uuid7())
    vault = KeyringVault(project, {})
    account = f"{project}/instance/TOKEN"
    await vault.set(KEY, "🔑" * 1_500)
    entries = [keyring.get_password("workbench", f"{account}{part}") for part in ("", "#1", "#2", "#3", "#4")]
    assert [len((entry or "").encode("utf-16-le")) // 2 <= 1_200 for entry in entries] == [True] * 5
    assert entries[4] is None
    assert entries[3] is not None
    await vault.set(KEY, "x" * 1_300)
    assert keyring.get_password("workbench", f"{account}#3") is None
    await vault.set(KEY, "short")
    assert keyring.get_password("workbench", account) == "short"
    assert keyring.get_password("workbench", f"{account}#1") is None


@pytest.mark.usefixtures("secret_service")
async def test_a_long_secret_of_which_a_part_is_lost_is_no_secret() -> None:
    project = ProjectId(uuid7())
    vault = KeyringVault(project, {})
    await vault.set(KEY, "x" * 3_000)
    keyring.delete_password("workbench", f"{project}/instance/TOKEN#2")
    assert await KeyringVault(project, {}).get(KEY) is None


# --- other processes ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("secret_service")
async def test_a_value_is_read_once_a_second_so_another_process_is_heard() -> None:
    clock, project = Hands(), ProjectId(uuid7())
    vault = KeyringVault(project, {}, clock=clock)
    await vault.set(KEY, "mine")
    keyring.set_password("workbench", f"{project}/instance/TOKEN", "theirs")
    assert await vault.get(KEY) == ("mine", Place.KEYRING)
    clock.seconds += FRESH_SECONDS
    assert await vault.get(KEY) == ("theirs", Place.KEYRING)
    keyring.delete_password("workbench", f"{project}/instance/TOKEN")
    clock.seconds += FRESH_SECONDS
    assert await vault.get(KEY) is None


@pytest.mark.usefixtures("secret_service")
async def test_a_closed_vault_holds_no_value() -> None:
    vault = make_vault()
    await vault.set(KEY, "kept")
    await vault.set(SecretKey(Scope.ACCOUNT, "OTHER"), "for now", session_only=True)
    await vault.close()
    assert await vault.get(SecretKey(Scope.ACCOUNT, "OTHER")) is None
    assert await vault.get(KEY) == ("kept", Place.KEYRING)


@pytest.mark.usefixtures("secret_service")
async def test_many_at_once_get_each_its_own_answer() -> None:
    vault = make_vault()
    keys = [SecretKey(Scope.INSTANCE, f"NAME_{number}") for number in range(8)]
    await asyncio.gather(*(vault.set(key, key.name) for key in keys))
    assert await asyncio.gather(*(vault.get(key) for key in keys)) == [
        (key.name, Place.KEYRING) for key in keys
    ]


@pytest.mark.usefixtures("secret_service")
async def test_a_caller_that_gives_up_does_not_tear_a_write() -> None:
    project = ProjectId(uuid7())
    vault = KeyringVault(project, {})
    writing = asyncio.create_task(vault.set(KEY, "first" * 1_000))
    await asyncio.sleep(0)
    writing.cancel()
    await vault.set(KEY, "second" * 1_000)
    assert await KeyringVault(project, {}).get(KEY) == ("second" * 1_000, Place.KEYRING)


# --- a locked keyring ---------------------------------------------------------------------------------------


@asynccontextmanager
async def locked(service: SecretService) -> AsyncGenerator[None]:
    service.lock()
    try:
        yield
    finally:
        await asyncio.to_thread(service.unlock)


@leaves_open
async def test_a_locked_keyring_says_so_and_is_used_again_when_unlocked(
    secret_service: SecretService,
) -> None:
    clock = Hands()
    vault = make_vault(clock)
    await vault.set(KEY, "kept")
    other = SecretKey(Scope.INSTANCE, "OTHER")
    async with locked(secret_service):
        assert (await vault.state()).name == "locked"
        assert await vault.get(other) is None
        for refused in (vault.set(KEY, "new"), vault.delete(other)):
            with pytest.raises(UserError, match="locked") as error:
                await refused
            assert error.value.hint
        assert await vault.set(other, "for now", session_only=True) is Place.SESSION
        assert await vault.get(other) == ("for now", Place.SESSION)
    assert (await vault.state()).name == "ready"
    assert await vault.get(KEY) == ("kept", Place.KEYRING)


@leaves_open
async def test_a_value_read_before_the_lock_goes_on_being_used(secret_service: SecretService) -> None:
    clock = Hands()
    vault = make_vault(clock)
    await vault.set(KEY, "kept")
    async with locked(secret_service):
        clock.seconds += FRESH_SECONDS
        assert await vault.get(KEY) == ("kept", Place.KEYRING)


# --- a keyring that does not answer -------------------------------------------------------------------------


async def test_a_prompt_that_nobody_answers_blocks_one_call_and_no_other(
    secret_service: SecretService,
) -> None:
    clock = Hands()
    vault = make_vault(clock, timeout=0.3)
    other = SecretKey(Scope.INSTANCE, "OTHER")
    await vault.set(KEY, "kept")
    with secret_service.not_answering():
        async with asyncio.timeout(20):  # one after another they would take a minute
            assert await asyncio.gather(*(vault.get(other) for _ in range(200))) == [None] * 200
        threads = keyring_threads()
        assert len(threads) == 1
        async with asyncio.timeout(20):
            assert (await vault.state()).name == "waiting"
            with pytest.raises(UserError, match="does not answer"):
                await vault.set(other, "new")
            with pytest.raises(UserError, match="does not answer"):
                await vault.delete(other)
            assert await vault.set(other, "for now", session_only=True) is Place.SESSION
            assert await vault.get(KEY) == ("kept", Place.KEYRING)
    await asyncio.to_thread(threads[0].join, 30)
    assert (await vault.state()).name == "ready"
    await vault.set(other, "kept")
    assert await vault.get(other) == ("kept", Place.KEYRING)


async def test_while_a_call_waits_for_a_prompt_the_state_says_so(
    secret_service: SecretService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.secrets.vault.PATIENCE_SECONDS", 0.2)
    vault = make_vault()
    await vault.set(KEY, "kept")
    with secret_service.not_answering():
        reading = asyncio.create_task(vault.get(SecretKey(Scope.INSTANCE, "OTHER")))
        async with asyncio.timeout(30):
            assert (await vault.state()).name == "waiting"
        assert not reading.done()
    assert await reading is None


async def test_a_keyring_that_never_comes_back_is_asked_again_after_a_minute(
    secret_service: SecretService,
) -> None:
    clock = Hands()
    vault = make_vault(clock, timeout=0.3)
    with secret_service.not_answering():
        assert await vault.get(KEY) is None
        clock.seconds += KNOCK_AGAIN_SECONDS
        assert (await vault.state()).name == "waiting"
        threads = keyring_threads()
        assert len(threads) == 2
    for thread in threads:
        await asyncio.to_thread(thread.join, 30)
        assert not thread.is_alive()


async def test_a_write_that_was_given_up_does_not_happen_later(secret_service: SecretService) -> None:
    vault = make_vault(timeout=0.3)
    await vault.set(KEY, "before")
    with secret_service.not_answering():
        with pytest.raises(UserError, match="does not answer"):
            await vault.set(KEY, "too late")
        (thread,) = keyring_threads()
    await asyncio.to_thread(thread.join, 30)
    assert await vault.get(KEY) == ("before", Place.KEYRING)


@leaves_open
async def test_a_keyring_that_dies_during_a_call_ends_the_call(secret_service: SecretService) -> None:
    vault = make_vault()
    await vault.set(KEY, "kept")
    with secret_service.not_answering():
        reading = asyncio.create_task(vault.get(SecretKey(Scope.INSTANCE, "OTHER")))
        await asyncio.sleep(0)
        secret_service.die()
        async with asyncio.timeout(30):
            assert await reading is None
    await asyncio.to_thread(secret_service.unlock)
    assert (await vault.state()).name == "ready"
    assert await vault.get(KEY) == ("kept", Place.KEYRING)


def test_a_prompt_that_nobody_answers_does_not_hold_up_the_end_of_the_program(
    secret_service: SecretService,
) -> None:
    with secret_service.not_answering():
        done = ask(
            dict(secret_service.environ), backend="keyring.backends.SecretService.Keyring", timeout=0.3
        )
    assert done["state"] == "waiting"


# --- which keyrings are used --------------------------------------------------------------------------------

_ASK = """
import asyncio, json, sys, time
from workbench.base.errors import UserError
from workbench.base.ids import ProjectId
from workbench.domain.variables import Scope
from workbench.engine.ports import SecretKey
from workbench.secrets.vault import KeyringVault

async def main():
    before = "keyring" in sys.modules
    vault = KeyringVault(ProjectId("p"), {}, timeout=float(sys.argv[1]))
    state, asked_until = await vault.state(), time.monotonic() + float(sys.argv[1])
    while state.name == "waiting" and time.monotonic() < asked_until:  # a busy machine takes its time
        state = await vault.state()
    key = SecretKey(Scope.INSTANCE, "TOKEN")
    try:
        kept = await vault.set(key, "hunter22")
    except UserError as error:
        kept = str(error)
    found = await vault.get(key)
    print(json.dumps({"state": state.name, "message": state.message, "hint": state.hint, "kept": kept,
                      "found": found and found[0], "imported early": before}))

asyncio.run(main())
"""


def ask(
    environ: dict[str, str], *, backend: str | None = None, path: Path | None = None, timeout: float = 40
) -> dict[str, str]:
    """State, a set and a get of a vault in a process of its own, with the keyring that this environment gives it."""
    environ = environ | {"PYTHONPATH": f"{ROOT}:{path}" if path else str(ROOT)}
    if backend:
        environ["PYTHON_KEYRING_BACKEND"] = backend
    done = subprocess.run(
        [sys.executable, "-c", _ASK, str(timeout)],
        env=environ,
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert "hunter22" not in done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment without a bus."""
    return {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}


def plain_text_keyring(folder: Path) -> Path:
    """A package that offers the keyring library a backend as keyrings.alt does: found by itself, and plain text."""
    package = folder / "plain"
    package.mkdir()
    (package / "plain_keyring.py").write_text(
        "from keyring.backend import KeyringBackend\n"
        "class PlaintextKeyring(KeyringBackend):\n"
        "    priority = 0.5\n"
        "    kept = {}\n"
        "    def get_password(self, service, username): return self.kept.get(username)\n"
        "    def set_password(self, service, username, password): open('leaked', 'w').write(password)\n"
        "    def delete_password(self, service, username): pass\n"
    )
    metadata = package / "plain_keyring-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: plain-keyring\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[keyring.backends]\nplain = plain_keyring\n")
    return package


def test_the_system_finds_the_secret_service_by_itself(secret_service: SecretService) -> None:
    done = ask(dict(secret_service.environ))
    assert (done["state"], done["kept"], done["found"]) == ("ready", "keyring", "hunter22")
    assert done["imported early"] is False


def test_without_a_bus_there_is_no_keyring(bare: dict[str, str]) -> None:
    done = ask(bare)
    assert (done["state"], done["found"]) == ("absent", None)
    assert "WORKBENCH_SECRET_" in done["hint"]
    assert done["kept"].startswith(done["message"])


def test_a_bus_that_is_gone_is_no_keyring(bare: dict[str, str], tmp_path: Path) -> None:
    bare["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={tmp_path}/gone"
    assert ask(bare)["state"] == "absent"
    forced = ask(bare, backend="keyring.backends.SecretService.Keyring")
    assert (forced["state"], forced["found"]) == ("refused", None)


def test_a_keyring_that_keeps_plain_text_is_refused_and_given_nothing(
    bare: dict[str, str], tmp_path: Path
) -> None:
    done = ask(bare, path=plain_text_keyring(tmp_path))
    assert (done["state"], done["found"]) == ("refused", None)
    assert "plain_keyring.PlaintextKeyring" in done["message"]
    assert not list(tmp_path.rglob("leaked"))


def test_beside_a_plain_text_keyring_the_trusted_one_is_used_alone(
    secret_service: SecretService, tmp_path: Path
) -> None:
    done = ask(dict(secret_service.environ), path=plain_text_keyring(tmp_path))
    assert (done["state"], done["kept"], done["found"]) == ("ready", "keyring", "hunter22")


def test_a_keyring_that_forgets_is_refused(bare: dict[str, str]) -> None:
    done = ask(bare, backend="keyring.backends.null.Keyring")
    assert (done["state"], done["found"]) == ("refused", None)
    assert "forgets" in done["message"]


@pytest.mark.parametrize("backend", ["no.such.Keyring", "keyring.backends.SecretService.Missing", "nonsense"])
def test_a_keyring_that_cannot_be_loaded_is_said_to_be_so(bare: dict[str, str], backend: str) -> None:
    done = ask(bare, backend=backend)
    assert (done["state"], done["found"]) == ("refused", None)
    assert "cannot be loaded" in done["message"]


def test_a_keyring_service_without_a_keyring_is_a_locked_one(
    secret_service_process: SecretService, tmp_path: Path
) -> None:
    """The bus starts the service by itself; without a display nobody can be asked for a first password."""
    (tmp_path / "run").mkdir(mode=0o700)
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path / "run")}
    script = f'exec {sys.executable} -c "$0" 20'
    done = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", script, _ASK],
        env=environ | {"PYTHONPATH": str(ROOT)},
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["state"], answer["found"]) == ("locked", None)
    assert answer["kept"].startswith("The keyring service has no keyring yet")
