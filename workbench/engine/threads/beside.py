"""Calls made by hand in an agent's thread: they see its variables and files, and stand beside what its models see."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.engine.calls.setting import Bench, Place, StateMethod
from workbench.engine.catalog import Catalog


class Beside(Bench):
    """`methods` are what `state` can do with the thread. Its messages lie deeper than a conversation: no model reads
    them, nor can a call that comes amid a turn part another call from its result (C6, T10)."""

    place: Place = Place(depth=1)

    def __init__(self, catalog: Catalog, methods: Mapping[str, StateMethod]) -> None:
        super().__init__(catalog)
        self._methods = methods

    def methods(self) -> Mapping[str, StateMethod]:
        return self._methods
