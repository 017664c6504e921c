"""Decides when a streaming call's start is announced: once, and with its progress text where it has one (C8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.domain.model_requests import OfferedTool
from workbench.engine.models.argument_watcher import ArgumentWatcher


@dataclass(frozen=True, slots=True)
class CallStart:
    """A call of the answer has started; `id` is the call's id in the answer. Once per call (C8)."""

    id: str
    name: str
    progress: str | None = None
    index: int = field(default=0, compare=False)
    """As its deltas have it."""


def tool_named(name: str, tools: Mapping[str, OfferedTool]) -> str:
    """The name that is meant: some servers send a tool's whole name again with each piece of its arguments."""
    if name in tools:
        return name
    for known in tools:
        times, rest = divmod(len(name), len(known))
        if not rest and name == known * times:
            return known
    return name


class StartOfCall:
    """Fed with a call's name and arguments as they come, it says when to announce the call.

    A name that is no tool's may be the beginning of one: it counts when arguments follow, or at the end.
    """

    def __init__(self, tools: Mapping[str, OfferedTool]) -> None:
        self._tools = tools
        self._early: list[str] = []
        self._watcher: ArgumentWatcher | None = None
        self.name = ""
        self.progress: str | None = None
        self.announced = False

    def named(self, name: str) -> bool:
        """All of the name so far. Says whether to announce the call now."""
        self.name = tool_named(name, self._tools)
        if self.announced or self._watcher or not self.name:
            return False
        tool = self._tools.get(self.name)
        if tool is None:
            return self._announce(when=bool(self._early))
        if tool.progress_argument is None:
            return self._announce(when=True)
        self._watcher = ArgumentWatcher(tool.progress_argument)
        return self._read(self._watcher, "".join(self._early))

    def more(self, text: str) -> bool:
        """More of the arguments. Says whether to announce the call now."""
        if self.announced or not text:
            return False
        if self._watcher:
            return self._read(self._watcher, text)
        self._early.append(text)
        return self._announce(when=bool(self.name))

    def ended(self) -> bool:
        """Nothing more will come. Says whether to announce the call now."""
        return self._announce(when=not self.announced)

    def _read(self, watcher: ArgumentWatcher, text: str) -> bool:
        watcher.feed(text)
        self.progress = watcher.value
        return self._announce(when=watcher.value is not None or watcher.closed)

    def _announce(self, *, when: bool) -> bool:
        self.announced = self.announced or when
        return when
