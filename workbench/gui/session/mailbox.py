"""What waits between two threads: bounded, in order, with what can be told in one told in one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Post(NamedTuple, Generic[T]):
    """What came since the last look. `lost` counts what did not fit: the reader must look afresh."""

    items: list[T]
    lost: int
    more: bool = False
    """Something waits still: look again soon."""


class Mailbox(Generic[T]):
    """A queue that one thread fills and another empties.

    `key` names what an item is about, None for what must stand alone. An item is merged into the waiting one of
    the same key. Over `limit` waiting items, further ones are counted and let go. `wake` is called, in
    the thread that puts, when the first item arrives after a look that left nothing.
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

    def take(self, most: int | None = None) -> Post[T]:
        """Take what waits, the oldest first: all of it, or so many items at most."""
        with self._lock:
            items, rest = self._items, list[T]()
            if most is not None and len(items) > most:
                items, rest = items[:most], items[most:]
                self._places = {key: at - most for key, at in self._places.items() if at >= most}
            else:
                self._places = {}
            post = Post(items, self._lost, bool(rest))
            self._items = rest
            self._lost = 0
        return post
