"""Who has a store open is known from locks, whoever else asks at the same moment."""

from __future__ import annotations

import fcntl
from pathlib import Path

from workbench.store.owners import Owner


def test_a_dead_owner_is_dead_to_each_of_two_that_ask_at_once(tmp_path: Path) -> None:
    owner = Owner(tmp_path / "threads.db")
    dead = tmp_path / "threads.db-open" / "gone"
    dead.touch()
    with dead.open("r+") as asked:
        fcntl.flock(asked, fcntl.LOCK_SH)  # as another process does that looks who is alive

        assert owner.others() == frozenset()
    owner.release()


def test_an_owner_that_lives_is_there_for_the_others(tmp_path: Path) -> None:
    owner, other = Owner(tmp_path / "threads.db"), Owner(tmp_path / "threads.db")

    assert owner.others() == {other.token}
    other.release()

    assert owner.others() == frozenset()
    owner.release()
