"""One secret over several entries: whatever its text, and wherever a write is broken off."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyring.errors import KeyringLocked, PasswordDeleteError

from workbench.secrets.entries import delete, read, write
from workbench.secrets.lane import Wanted

pytestmark = pytest.mark.rule("V4")


def repeated(text: str, times: int) -> str:
    return text * times


SECRETS: st.SearchStrategy[str] = st.one_of(
    st.text(max_size=40),
    st.builds(repeated, st.text(min_size=1, max_size=7), st.integers(1, 900)),
    st.just("workbench-parts:2:" + "0" * 64),
)


class StrictKeyring:
    """A keyring as small as the smallest in use, which can be locked in the middle of anything."""

    def __init__(self) -> None:
        self.entries: dict[str, str] = {}
        self.calls_until_locked = 10_000

    def get_password(self, service: str, username: str, /) -> str | None:
        self._call(service)
        return self.entries.get(username)

    def set_password(self, service: str, username: str, password: str, /) -> None:
        self._call(service)
        assert len(password.encode("utf-16-le")) // 2 <= 1_280
        self.entries[username] = password

    def delete_password(self, service: str, username: str, /) -> None:
        self._call(service)
        if username not in self.entries:
            raise PasswordDeleteError("No such password!")
        del self.entries[username]

    def _call(self, service: str) -> None:
        assert service == "workbench"
        self.calls_until_locked -= 1
        if self.calls_until_locked < 0:
            raise KeyringLocked("Failed to unlock the item!")


@given(st.lists(SECRETS, min_size=1, max_size=4))
def test_the_last_value_comes_back_and_nothing_of_the_others_stays(values: list[str]) -> None:
    keyring = StrictKeyring()
    for value in values:
        assert write(keyring, "a", value, Wanted())
        assert read(keyring, "a") == value
    alone = StrictKeyring()
    write(alone, "a", values[-1], Wanted())
    assert keyring.entries == alone.entries
    delete(keyring, "a")
    assert keyring.entries == {}


@given(st.none() | SECRETS, SECRETS, st.integers(0, 30))
def test_a_write_broken_off_anywhere_leaves_the_old_the_new_or_nothing(
    old: str | None, new: str, calls: int
) -> None:
    keyring = StrictKeyring()
    if old is not None:
        write(keyring, "a", old, Wanted())
    keyring.calls_until_locked = calls
    with suppress(KeyringLocked):
        write(keyring, "a", new, Wanted())
    keyring.calls_until_locked = 10_000
    assert read(keyring, "a") in {old, new, None}
    delete(keyring, "a")
    assert keyring.entries == {}


@given(SECRETS, SECRETS)
def test_a_write_that_nobody_waits_for_changes_nothing(old: str, new: str) -> None:
    keyring = StrictKeyring()
    write(keyring, "a", old, Wanted())
    given_up = Wanted()
    given_up.abandon()
    assert not write(keyring, "a", new, given_up)
    assert read(keyring, "a") == old
