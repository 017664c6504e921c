"""One secret in a keyring: in one entry, or cut over several where it is longer than every keyring takes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import count, islice, takewhile

from workbench.secrets.backends import Keyring
from workbench.secrets.lane import Wanted

SERVICE = "workbench"

LONGEST_ENTRY = 1_200
"""UTF-16 units. Windows takes 1,280, others far more."""

_MARK = "workbench-parts:"
_HEAD = re.compile(_MARK + r"([1-9][0-9]{0,2}):([0-9a-f]{64})")


def read(keyring: Keyring, account: str) -> str | None:
    """The account's secret; None when there is none, or when parts of it are missing or not of one write."""
    entry = keyring.get_password(SERVICE, account)
    head = _HEAD.fullmatch(entry or "")
    if not head:
        return entry
    accounts = islice(_part_accounts(account), int(head[1]))
    parts = [keyring.get_password(SERVICE, part_account) for part_account in accounts]
    value = "".join(part for part in parts if part is not None)
    return value if _digest(value) == head[2] else None


def write(keyring: Keyring, account: str, value: str, wanted: Wanted) -> bool:
    """Keep the secret and read it back; whether it came back the same.

    Looks before it writes, so that a prompt blocks the look, and what nobody waits for any more is not written.
    A write that is broken off leaves the old secret, none or the new one, never a mixture.
    """
    keyring.get_password(SERVICE, account)
    if not wanted:
        return False
    parts = list(_cut(value))
    if len(parts) == 1 and not value.startswith(_MARK):
        keyring.set_password(SERVICE, account, value)
        _delete_parts(keyring, account)
    else:
        delete(keyring, account)
        for part_account, part in zip(_part_accounts(account), parts, strict=False):
            keyring.set_password(SERVICE, part_account, part)
        keyring.set_password(SERVICE, account, f"{_MARK}{len(parts)}:{_digest(value)}")
    return read(keyring, account) == value


def delete(keyring: Keyring, account: str) -> None:
    """Remove the secret with all its parts; nothing happens when there is none."""
    _delete_entry(keyring, account)
    _delete_parts(keyring, account)


def _delete_parts(keyring: Keyring, account: str) -> None:
    """Remove every part, also of a write that was broken off: the last first, so that none gets out of sight."""
    parts = takewhile(
        lambda part: keyring.get_password(SERVICE, part) is not None,
        _part_accounts(account),
    )
    for part_account in reversed(list(parts)):
        _delete_entry(keyring, part_account)


def _delete_entry(keyring: Keyring, account: str) -> None:
    from keyring.errors import PasswordDeleteError

    try:
        keyring.delete_password(SERVICE, account)
    except PasswordDeleteError:
        if keyring.get_password(SERVICE, account) is not None:
            raise


def _part_accounts(account: str) -> Iterator[str]:
    return (f"{account}#{number}" for number in count(1))


def _cut(value: str) -> Iterator[str]:
    """Pieces of at most LONGEST_ENTRY UTF-16 units, no character cut in two; at least one."""
    start = units = 0
    for index, character in enumerate(value):
        size = 1 + (character > "\uffff")
        if units + size > LONGEST_ENTRY:
            yield value[start:index]
            start, units = index, 0
        units += size
    yield value[start:]


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()
