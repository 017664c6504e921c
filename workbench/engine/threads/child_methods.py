"""What `state` can do with other threads and with time: its children, its parent, and effects (T5)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from workbench.base.exact_json import parse
from workbench.base.ids import EffectId, ThreadId
from workbench.domain.effects import EffectRun
from workbench.engine.calls.setting import StateMethod
from workbench.engine.ports import CallLink, StateError
from workbench.engine.threads.children import Children, registry_entry
from workbench.engine.threads.effects import Effects
from workbench.engine.threads.work import Work


class Relative(CallLink, Protocol):
    """The `state` of another thread of the same tree."""

    def identity(self) -> Mapping[str, object]:
        """What code is told of that thread, by the wire's names."""
        ...


Reach = Callable[[ThreadId], Awaitable[Relative | None]]
"""Finds another thread of the same tree; None when there is none."""


class ChildMethods:
    """The methods of one thread."""

    def __init__(self, work: Work, children: Children, effects: Effects, relative: Reach) -> None:
        self._work = work
        self._children = children
        self._effects = effects
        self._relative = relative

    def methods(self) -> Mapping[str, StateMethod]:
        """Each method by its name on the wire."""
        return {
            "children": self._list,
            "relative": self._look_for_relative,
            "inThread": self._in_thread,
            "notifyParent": self._notify_parent,
            "scheduleEffect": self._schedule,
            "getScheduledEffects": self._scheduled,
            "removeScheduledEffect": self._remove,
        }

    async def _list(self, params: Mapping[str, object]) -> object:
        del params
        relations = {relation.name: relation for _, relation in self._work.agent().relationships}
        found = await self._children.of(self._work)
        return [registry_entry(child, relations.get(child.relationship or "")) for child in found]

    async def _look_for_relative(self, params: Mapping[str, object]) -> object:
        """`relative{reference?}`: who that child is, without a reference the parent; None when there is none."""
        reference = params.get("reference")
        if reference is None:
            wanted = self._work.thread.parent_id
        else:
            children = {child.id for child in await self._children.of(self._work)}
            wanted = ThreadId(str(reference)) if reference in children else None
        if wanted is None:
            return None
        state = await self._relative(wanted)
        return None if state is None else state.identity()

    async def _in_thread(self, params: Mapping[str, object]) -> object:
        """`inThread{ofThread, ofMethod, …}`: a method of the state of another thread of this tree (T18)."""
        asked = {name: value for name, value in params.items() if name not in ("ofThread", "ofMethod")}
        state = await self._relative(ThreadId(str(params["ofThread"])))
        if state is None:
            raise StateError("LookupError", f"There is no thread {params['ofThread']} in this tree any more.")
        if params["ofMethod"] == "emit":
            state.emit(str(asked["event"]), str(asked["dataJson"]))
            return None
        return await state.ask(str(params["ofMethod"]), asked)

    async def _notify_parent(self, params: Mapping[str, object]) -> object:
        await self._children.notify_parent(self._work, str(params.get("content", "")))
        return None

    async def _schedule(self, params: Mapping[str, object]) -> object:
        delay = params.get("delayMs")
        arguments = parse(str(params.get("argumentsJson") or "null"))
        milliseconds = float(delay) if isinstance(delay, (int, float)) else 0.0
        return await self._effects.schedule(self._work, str(params["name"]), arguments, milliseconds)

    async def _scheduled(self, params: Mapping[str, object]) -> object:
        name = params.get("name")
        found = await self._effects.pending(self._work, str(name) if name is not None else None)
        return [_record(effect) for effect in found]

    async def _remove(self, params: Mapping[str, object]) -> object:
        return await self._effects.remove(self._work, EffectId(str(params["id"])))


def _record(effect: EffectRun) -> dict[str, object]:
    return {
        "id": effect.id,
        "name": effect.name,
        "args": parse(effect.arguments),
        "scheduledAt": effect.due_at,
        "createdAt": effect.created_at,
    }
