"""What every vault does: the system's keyring, and the double that stands for it (V4)."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import keyring
import pytest
from keyring.backends import fail

from workbench.base.errors import UsageError, UserError
from workbench.base.ids import ProjectId, ThreadId, uuid7
from workbench.domain.variables import Place, Scope
from workbench.engine.doubles.vault import MemoryVault
from workbench.engine.ports import SecretKey, SecretVault, VaultState
from workbench.engine.vault_rules import LONGEST_SECRET
from workbench.secrets.vault import KeyringVault

pytestmark = pytest.mark.rule("V4")

ENVIRON = {"WORKBENCH_SECRET_FROM_OUTSIDE": "of the environment", "WORKBENCH_SECRET_EMPTY": ""}
ABSENT = VaultState("absent", "There is no keyring.", "Start one.")

ACCOUNT = SecretKey(Scope.ACCOUNT, "TOKEN")
INSTANCE = SecretKey(Scope.INSTANCE, "TOKEN")
THREAD = SecretKey(Scope.THREAD, "TOKEN", ThreadId("018f"))
OTHER_THREAD = SecretKey(Scope.THREAD, "TOKEN", ThreadId("018e"))
PATIENCE = 100.0
"""Seconds: a machine that is busy takes its time for the long texts."""
KEYS = [ACCOUNT, INSTANCE, THREAD, OTHER_THREAD, SecretKey(Scope.ACCOUNT, "OTHER")]


@pytest.fixture(params=["memory", "keyring"])
async def vault(request: pytest.FixtureRequest) -> AsyncGenerator[SecretVault]:
    """A vault whose keyring works and is empty."""
    if request.param == "memory":
        yield MemoryVault(environ=ENVIRON)
        return
    request.getfixturevalue("secret_service")
    keyring_vault = KeyringVault(ProjectId(uuid7()), ENVIRON, timeout=PATIENCE)
    await keyring_vault.get(ACCOUNT)  # a state is asked for with less patience than what is read
    yield keyring_vault
    for key in KEYS:
        await keyring_vault.delete(key)


@pytest.fixture(params=["memory", "keyring"])
def without_keyring(request: pytest.FixtureRequest) -> SecretVault:
    """A vault that has no keyring."""
    if request.param == "memory":
        return MemoryVault(state=ABSENT, environ=ENVIRON)
    assert isinstance(keyring.get_keyring(), fail.Keyring)
    return KeyringVault(ProjectId(uuid7()), ENVIRON)


async def test_a_secret_is_kept_found_changed_and_forgotten(vault: SecretVault) -> None:
    assert (await vault.state()).name == "ready"
    assert await vault.get(INSTANCE) is None
    assert await vault.set(INSTANCE, "first") is Place.KEYRING
    assert await vault.get(INSTANCE) == ("first", Place.KEYRING)
    assert await vault.set(INSTANCE, "second") is Place.KEYRING
    assert await vault.get(INSTANCE) == ("second", Place.KEYRING)
    await vault.delete(INSTANCE)
    assert await vault.get(INSTANCE) is None
    await vault.delete(INSTANCE)


async def test_the_same_name_at_each_scope_and_thread_is_another_secret(vault: SecretVault) -> None:
    for number, key in enumerate(KEYS):
        await vault.set(key, f"value {number}")
    for number, key in enumerate(KEYS):
        assert await vault.get(key) == (f"value {number}", Place.KEYRING)
    await vault.delete(THREAD)
    assert [await vault.get(key) is None for key in KEYS] == [False, False, True, False, False]


@pytest.mark.parametrize(
    "value",
    [
        "",
        " padded \n",
        "two\nlines\r\nand\ttabs",
        "zero\0inside",
        "größer 🔑",
        '{"quoted": "\\u0041"}',
        "workbench-parts:1:" + "0" * 64,
        "x" * 1_200,
        "x" * 1_201,
        "🔑" * 700,
        "-----BEGIN KEY-----\n" + "abcd" * 900,
        "y" * LONGEST_SECRET,
    ],
    ids=lambda value: f"{len(value)} characters",
)
async def test_any_text_comes_back_as_it_was(vault: SecretVault, value: str) -> None:
    await vault.set(ACCOUNT, value)
    assert await vault.get(ACCOUNT) == (value, Place.KEYRING)


async def test_a_long_value_and_a_short_one_replace_each_other(vault: SecretVault) -> None:
    for value in ("a" * 5_000, "b" * 2_500, "c", "d" * 1_300, "workbench-parts:", "e"):
        await vault.set(ACCOUNT, value)
        assert await vault.get(ACCOUNT) == (value, Place.KEYRING)
    await vault.delete(ACCOUNT)
    assert await vault.get(ACCOUNT) is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [("half \ud83d of a key", "surrogate"), ("x" * (LONGEST_SECRET + 1), "at most 32,768")],
)
@pytest.mark.parametrize("session_only", [True, False])
async def test_what_no_vault_can_keep_is_refused_without_being_repeated(
    vault: SecretVault, value: str, reason: str, *, session_only: bool
) -> None:
    await vault.set(ACCOUNT, "kept")
    with pytest.raises(UserError, match=reason) as refused:
        await vault.set(ACCOUNT, value, session_only=session_only)
    assert value[:20] not in f"{refused.value} {refused.value.detail} {refused.value.__context__!r}"
    assert await vault.get(ACCOUNT) == ("kept", Place.KEYRING)


@pytest.mark.parametrize(
    "key",
    [
        SecretKey(Scope.PROMPT, "TOKEN"),
        SecretKey(Scope.THREAD, "TOKEN"),
        SecretKey(Scope.ACCOUNT, "TOKEN", ThreadId("018f")),
        SecretKey(Scope.ACCOUNT, ""),
    ],
)
async def test_a_key_that_names_no_place_is_a_mistake_of_the_program(
    vault: SecretVault, key: SecretKey
) -> None:
    for use in (vault.get(key), vault.set(key, "x"), vault.delete(key)):
        with pytest.raises(UsageError):
            await use


async def test_a_value_of_the_session_is_the_latest_word_until_one_is_kept(vault: SecretVault) -> None:
    await vault.set(ACCOUNT, "kept")
    assert await vault.set(ACCOUNT, "for now", session_only=True) is Place.SESSION
    assert await vault.get(ACCOUNT) == ("for now", Place.SESSION)
    await vault.set(ACCOUNT, "kept again")
    assert await vault.get(ACCOUNT) == ("kept again", Place.KEYRING)
    await vault.set(ACCOUNT, "for now", session_only=True)
    await vault.delete(ACCOUNT)
    assert await vault.get(ACCOUNT) is None


async def test_the_environment_gives_instance_secrets_that_nothing_else_gives(vault: SecretVault) -> None:
    key = SecretKey(Scope.INSTANCE, "FROM_OUTSIDE")
    assert await vault.get(key) == ("of the environment", Place.ENVIRONMENT)
    assert await vault.get(SecretKey(Scope.INSTANCE, "EMPTY")) == ("", Place.ENVIRONMENT)
    assert await vault.get(SecretKey(Scope.ACCOUNT, "FROM_OUTSIDE")) is None
    assert await vault.get(SecretKey(Scope.THREAD, "FROM_OUTSIDE", ThreadId("018f"))) is None
    await vault.set(key, "set here")
    assert await vault.get(key) == ("set here", Place.KEYRING)
    await vault.delete(key)
    assert await vault.get(key) == ("of the environment", Place.ENVIRONMENT)


async def test_no_value_shows_in_what_a_vault_looks_like(vault: SecretVault) -> None:
    await vault.set(ACCOUNT, "hunter22-kept")
    await vault.set(INSTANCE, "hunter22-for-now", session_only=True)
    await vault.get(ACCOUNT)
    assert "hunter22" not in f"{vault!r} {vars(vault)!r}"


async def test_without_a_keyring_it_says_so_and_keeps_what_is_for_the_session(
    without_keyring: SecretVault,
) -> None:
    vault = without_keyring
    state = await vault.state()
    assert state.name == "absent"
    assert await vault.get(ACCOUNT) is None
    with pytest.raises(UserError) as refused:
        await vault.set(ACCOUNT, "hunter22")
    assert (refused.value.message, refused.value.hint) == (state.message, state.hint)
    assert await vault.get(ACCOUNT) is None
    assert await vault.set(ACCOUNT, "hunter22", session_only=True) is Place.SESSION
    assert await vault.get(ACCOUNT) == ("hunter22", Place.SESSION)
    await vault.delete(ACCOUNT)
    assert await vault.get(ACCOUNT) is None
    assert await vault.get(SecretKey(Scope.INSTANCE, "FROM_OUTSIDE")) == (
        "of the environment",
        Place.ENVIRONMENT,
    )
