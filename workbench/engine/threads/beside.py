"""Calls made by hand in an agent's thread: they see its variables and files, and stand beside what its models see."""

from __future__ import annotations

from workbench.engine.calls.setting import Bench, Place


class Beside(Bench):
    """Its messages lie deeper than a conversation: no model reads them, nor can a call that comes amid a turn part
    another call from its result (C6, T10)."""

    place: Place = Place(depth=1)
