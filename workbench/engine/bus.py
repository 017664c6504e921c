"""The live stream: every event and change, handed to whoever listens, in the engine's own thread."""

from __future__ import annotations

from collections.abc import Callable

from workbench.domain.changes import Changes
from workbench.domain.events import Event

Unsubscribe = Callable[[], None]


class Bus:
    """Hands events and changes to subscribers at once and in order.

    A subscriber must be quick and must not raise; a slow consumer keeps a queue of its own.
    """

    def __init__(self) -> None:
        self._on_event: list[Callable[[Event], None]] = []
        self._on_changes: list[Callable[[Changes], None]] = []

    def subscribe(
        self,
        on_event: Callable[[Event], None] | None = None,
        on_changes: Callable[[Changes], None] | None = None,
    ) -> Unsubscribe:
        """Listen until the returned function is called."""
        if on_event is not None:
            self._on_event.append(on_event)
        if on_changes is not None:
            self._on_changes.append(on_changes)

        def unsubscribe() -> None:
            if on_event is not None:
                self._on_event.remove(on_event)
            if on_changes is not None:
                self._on_changes.remove(on_changes)

        return unsubscribe

    def publish(self, event: Event) -> None:
        for listener in tuple(self._on_event):
            listener(event)

    def changed(self, changes: Changes) -> None:
        for listener in tuple(self._on_changes):
            listener(changes)
