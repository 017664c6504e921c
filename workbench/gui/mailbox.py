"""What waits between two threads: bounded, in order, with what can be told in one told in one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Post(NamedTuple, Generic[T]):
    """Everything that came since the last look. `lost` counts what did not fit: the reader must look afresh."""

    items: list[T]
    lost: int


class Mailbox(Generic[T]):
    """A queue that one thread fills and another empties whole.

    `key` names what an item is about, None for what must stand alone. An item is merged into the waiting one of
    the same key. Over `limit` waiting items, further ones are counted and let go. `wake` is called, in
    the thread that puts, when the first item arrives after a look.
    """

    def __init__(
        self,
        *,
        limit: int,
        key: Callable[[T], Hashable | None],
        merge: Callable[[T, T], T],
        wake: Callable[[], None],
    ) -> None:
        self._limit = limit
        self._key = key
        self._merge = merge
        self._wake = wake
        self._lock = threading.Lock()
        self._items: list[T] = []
        self._places: dict[Hashable, int] = {}
        self._lost = 0

    def put(self, item: T) -> None:
        """Leave an item; from any thread."""
        key = self._key(item)
        with self._lock:
            first = not self._items and not self._lost
            place = None if key is None else self._places.get(key)
            if place is not None:
                self._items[place] = self._merge(self._items[place], item)
            elif len(self._items) >= self._limit:
                self._lost += 1
            else:
                if key is not None:
                    self._places[key] = len(self._items)
                self._items.append(item)
        if first:
            self._wake()

    def take(self) -> Post[T]:
        """Take all that waits."""
        with self._lock:
            post = Post(self._items, self._lost)
            self._items = []
            self._places = {}
            self._lost = 0
        return post
