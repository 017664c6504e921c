"""What `state` can do with an agent's thread beyond what it can do with any: its queue, its status, and its run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from workbench.base.exact_json import JsonValue
from workbench.engine.calls.carrying import own_attachments, paths_in
from workbench.engine.calls.setting import StateMethod
from workbench.engine.calls.thread_state import new_message
from workbench.engine.ports import StateError
from workbench.engine.threads.family import Family
from workbench.engine.threads.stops import SessionEnd
from workbench.engine.threads.work import Work


class StateMethods:
    """The methods of one thread, for its tools, hooks, handlers and effects."""

    def __init__(self, work: Work, family: Family, *, in_run: bool) -> None:
        self._work = work
        self._family = family
        self._may_be_in_run = in_run

    def methods(self) -> Mapping[str, StateMethod]:
        """Each method by its name on the wire."""
        in_a_run: Mapping[str, StateMethod] = {
            "stopped": self._stopped,
            "stop": self._stop,
            "forceTurn": self._force_turn,
            "stopSession": self._stop_session,
            "messageHistory": self._message_history,
        }
        return {
            "queueMessage": self._queue_message,
            "setStatus": self._set_status,
            "terminate": self._terminate,
            **{name: self._only_in_a_run(name, method) for name, method in in_a_run.items()},
        }

    def _only_in_a_run(self, name: str, method: StateMethod) -> StateMethod:
        async def serve(params: Mapping[str, object]) -> object:
            if not self._in_run:
                raise StateError("RuntimeError", f"The thread is at rest: {name} needs one that runs.")
            return await method(params)

        return serve

    @property
    def _in_run(self) -> bool:
        return self._may_be_in_run and self._work.in_run

    # --- at rest, too

    async def _queue_message(self, params: Mapping[str, object]) -> object:
        work = self._work
        if work.thread.terminated_at is not None:
            raise StateError("RuntimeError", "The thread was terminated: it takes no more messages.")
        message = new_message(work.services, work.thread.id, {"role": "user", **params})
        paths = [cast(JsonValue, params.get("attachments"))]
        attachments = await own_attachments(work.services, work.thread.id, paths)
        await self._family.leave(message.model_copy(update={"attachments": attachments}))
        return None

    async def _set_status(self, params: Mapping[str, object]) -> object:
        if not self._work.in_run:
            await self._family.refuse_elsewhere(self._work.thread.id)  # its row is that of who runs it
        await self._work.move(self._work.thread.status, str(params.get("status", "")))
        return None

    async def _terminate(self, params: Mapping[str, object]) -> object:
        """For good, after the operation under way (T5)."""
        del params
        if self._work.in_run:
            self._work.ends_for_good = True
            self._work.stop_soon()
        else:
            await self._family.terminate(self._work.thread.id)
        return None

    # --- in a run

    async def _stopped(self, params: Mapping[str, object]) -> object:
        del params
        work = self._work
        return {"stopped": work.stopping, "stoppedBy": work.stopped_by if work.stopping else None}

    async def _stop(self, params: Mapping[str, object]) -> object:
        del params
        self._work.stop_soon()
        return None

    async def _force_turn(self, params: Mapping[str, object]) -> object:
        side = params.get("side")
        if side not in ("a", "b"):
            raise StateError("ValueError", f"A side is a or b, not {side!r}.")
        self._work.next_side = side
        return None

    async def _stop_session(self, params: Mapping[str, object]) -> object:
        mask = self._work.services.variables.masker.mask
        self._work.session_end = SessionEnd(
            "fail" if params.get("failed") else "handler",
            mask(str(params.get("message", ""))),
            paths_in(cast(JsonValue, params.get("attachments"))),
        )
        return None

    async def _message_history(self, params: Mapping[str, object]) -> object:
        del params
        history = await self._work.services.store.history(self._work.thread.id)
        return [message.to_json() for message in history]
