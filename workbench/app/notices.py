"""What a person should be told: as a value, and what opening a store may have to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.store import SqliteStore


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person should know; a later notice with the same `key` replaces it."""

    level: Literal["info", "warning", "error"]
    message: str
    hint: str = ""
    detail: str = ""
    key: str = ""
    place: Literal["", "calls", "sample"] = ""
    """Where a person goes on from it: to all calls, or to a fresh copy of the sample."""


OPEN_ELSEWHERE = Notice(
    "info",
    "Another window or command of Workbench has this project open, too.",
    hint="Both work: each sees what the other runs in Calls.",
    key="open-elsewhere",
)


SAMPLE_RENEWED = Notice(
    "info",
    "Your copy of the sample was brought up to date.",
    hint="You had changed nothing that came with it; what you added is there.",
    key="sample",
)
SAMPLE_LEFT = Notice(
    "info",
    "There is a newer sample. Your copy stays as it is: you have changed it.",
    hint="A fresh copy can be made beside it.",
    key="sample",
    place="sample",
)


def not_masked(names: Sequence[str]) -> str:
    """That secrets are kept back by the keyring, so that no text can be searched for them, as a sentence."""
    one = len(names) == 1
    return f"{', '.join(names)} cannot be read now, so {'it is' if one else 'they are'} not masked."


def notice_of_masking(names: Sequence[str]) -> Notice:
    """Which secrets are not masked in what is kept; that all are again where there are no `names`."""
    if not names:
        return Notice("info", "Every secret can be read again and is masked.", key="not-masked")
    return Notice(
        "warning",
        not_masked(names),
        hint="Unlock the keyring before you keep or copy what holds its value.",
        key="not-masked",
    )


def notices_of_opening(store: SqliteStore) -> list[Notice]:
    """What was wrong with the history when it was opened: damage, no right to write, what a crash cut off."""
    notices: list[Notice] = []
    if store.damage:
        notices.append(
            Notice(
                "warning",
                "The history was damaged and was repaired in a copy.",
                hint=f"The damaged file is kept beside {store.path}.",
                detail="\n".join(store.damage),
                key="store-damage",
            )
        )
    if store.is_read_only:
        notices.append(
            Notice(
                "warning",
                f"The history {store.path} can be read but not written, so no tool can be called.",
                hint="Make the file and its folder writable, then open the project again.",
                key="store-read-only",
            )
        )
    count = len(store.interrupted)
    if count:
        names = ", ".join(sorted({call.tool for call in store.interrupted}))
        calls = "One call was" if count == 1 else f"{count} calls were"
        notices.append(
            Notice(
                "info",
                f"{calls} cut off when Workbench ended last time: {names}.",
                hint="See them in Calls.",
                key="calls-interrupted",
                place="calls",
            )
        )
    if store.stopped:
        agents = ", ".join(sorted({thread.agent for thread in store.stopped}))
        threads = "One thread was" if len(store.stopped) == 1 else f"{len(store.stopped)} threads were"
        notices.append(
            Notice(
                "info",
                f"{threads} stopped when Workbench ended last time: {agents}.",
                hint="Continue them, or write to them.",
                key="threads-stopped",
            )
        )
    return notices
