"""What `state` can do with other threads and with time: its children, its parent, and effects (T5)."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.exact_json import parse
from workbench.base.ids import EffectId
from workbench.domain.effects import EffectRun
from workbench.engine.calls.setting import StateMethod
from workbench.engine.threads.children import Children, registry_entry
from workbench.engine.threads.effects import Effects
from workbench.engine.threads.work import Work


class ChildMethods:
    """The methods of one thread."""

    def __init__(self, work: Work, children: Children, effects: Effects) -> None:
        self._work = work
        self._children = children
        self._effects = effects

    def methods(self) -> Mapping[str, StateMethod]:
        """Each method by its name on the wire."""
        return {
            "children": self._list,
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
