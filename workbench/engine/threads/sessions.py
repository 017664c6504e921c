"""What code shares beyond its own thread: values and files of the project, reminders, and sessions of channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from pydantic import ValidationError

from workbench.base.exact_json import parse_object
from workbench.base.ids import EffectId, MessageId, ThreadId, uuid7
from workbench.domain.agents import AgentDefinition
from workbench.domain.auth import Auth
from workbench.domain.effects import EffectRun
from workbench.domain.threads import Message, Role, Thread
from workbench.engine.bench import bench_thread
from workbench.engine.calls.setting import NoHooks, StateMethod
from workbench.engine.calls.thread_state import ThreadState
from workbench.engine.ports import StateError
from workbench.engine.services import Services
from workbench.engine.threads.effects import Effects
from workbench.engine.threads.family import NewThread
from workbench.engine.threads.work import Work
from workbench.engine.variables import Layers

_KEYS = "host.kv/"
_FILES = "/host/"
_FILE_METHODS = frozenset({"writeFile", "readFile", "unlinkFile", "findFiles", "statFile"})


class AllThreads(Protocol):
    """What sessions need of all threads."""

    @property
    def effects(self) -> Effects: ...

    async def make(self, new: NewThread) -> Work:
        """Make a thread that does not run yet. Raises UserError."""
        ...

    async def deliver(self, message: Message) -> None:
        """Queue a message for its thread and start it (T3)."""
        ...


class SessionMethods:
    """The methods of code in a thread; `work` is None for what is called by hand outside of all sessions.

    What is shared is kept with the bench, the one thread that every project has.
    """

    def __init__(self, services: Services, threads: AllThreads, work: Work | None) -> None:
        self._services = services
        self._threads = threads
        self._work = work

    def methods(self) -> Mapping[str, StateMethod]:
        """Each method by its name on the wire."""
        return {
            "hostValue": self._value,
            "setHostValue": self._set_value,
            "hostKeys": self._keys,
            "hostFile": self._file,
            "setReminder": self._set_reminder,
            "reminders": self._reminders,
            "cancelReminder": self._cancel_reminder,
            "sendTo": self._send_to,
            "getSession": self._get_session,
        }

    # --- shared by the project

    async def _shared(self) -> Mapping[str, StateMethod]:
        bench = await bench_thread(self._services)
        return ThreadState(self._services, bench, Layers(threads=(bench.id,)), (), NoHooks()).methods()

    async def _value(self, params: Mapping[str, object]) -> object:
        return await (await self._shared())["getValue"]({"key": f"{_KEYS}{params['key']}"})

    async def _set_value(self, params: Mapping[str, object]) -> object:
        return await (await self._shared())["setValue"]({**params, "key": f"{_KEYS}{params['key']}"})

    async def _keys(self, params: Mapping[str, object]) -> object:
        prefix = f"{_KEYS}{params['prefix']}"
        values = await self._services.store.values((await bench_thread(self._services)).id)
        return sorted(key.removeprefix(_KEYS) for key, _ in values if key.startswith(prefix))

    async def _file(self, params: Mapping[str, object]) -> object:
        method = str(params["method"])
        if method not in _FILE_METHODS:
            raise StateError("AttributeError", f"The project's files have no method {method}.")
        places = {
            name: _FILES + str(params[name]).lstrip("/") for name in ("path", "pattern") if name in params
        }
        return await (await self._shared())[method]({**params, **places})

    # --- reminders

    async def _set_reminder(self, params: Mapping[str, object]) -> object:
        delay = params["delay"]
        if isinstance(delay, bool) or not isinstance(delay, (int, float)) or not 0 <= delay < 10**9:
            raise StateError("ValueError", "delay is a number of seconds from now.")
        return await self._threads.effects.remind(self._own(), str(params["message"]), float(delay))

    async def _reminders(self, params: Mapping[str, object]) -> object:
        del params
        return [_reminder(one) for one in await self._threads.effects.reminders(self._own())]

    async def _cancel_reminder(self, params: Mapping[str, object]) -> object:
        return await self._threads.effects.remove(self._own(), EffectId(str(params["id"])))

    def _own(self) -> Work:
        if self._work is None:
            raise StateError(
                "RuntimeError", "A call outside of sessions has none that a reminder could wake."
            )
        return self._work

    # --- sessions of channels

    async def _send_to(self, params: Mapping[str, object]) -> object:
        channel = self._masked(params["channel"])
        if "id" in params:
            thread = await self._of(channel, str(params["id"]))
            if thread is None:
                raise StateError("LookupError", f"There is no session {params['id']} on {channel}.")
        else:
            thread = await self._found_or_begun(channel, params)
        if thread.terminated_at is not None:
            raise StateError("RuntimeError", "The session was ended for good: it takes no more messages.")
        await self._threads.deliver(
            Message(
                id=MessageId(uuid7()),
                thread_id=thread.id,
                role=Role.USER,
                created_at=self._services.clock.now_us(),
                content=self._masked(params["message"]),
            )
        )
        return _handle(thread)

    async def _found_or_begun(self, channel: str, params: Mapping[str, object]) -> Thread:
        key, agent = self._masked(params["key"] or ""), params.get("agent")
        found = await self._services.store.session(channel, key) if key else None
        if found is not None:
            return found
        own = self._work.thread if self._work is not None else None
        new = NewThread(
            agent=str(agent) if agent is not None else own.agent if own is not None else self._only_agent(),
            arguments={},
            user_id=own.user_id if own is not None else None,
            channel=channel,
            channel_key=key or uuid7(),
            auth=_auth(params["auth"]) if params.get("auth") else own.auth if own is not None else Auth(),
            dry_run=own is not None and own.dry_run,
            as_of=own.as_of if own is not None else None,
        )
        return (await self._threads.make(new)).thread

    def _only_agent(self) -> str:
        names = [agent.qualified_name for agent in self._services.catalog.directory.all(AgentDefinition)]
        if len(names) != 1:
            some = f": {', '.join(names)}" if names else ""
            raise StateError("LookupError", f"Say which agent is to begin the session{some}.")
        return names[0]

    async def _get_session(self, params: Mapping[str, object]) -> object:
        thread = await self._of(self._masked(params["channel"]), str(params["id"]))
        return None if thread is None else _handle(thread)

    def _masked(self, text: object) -> str:
        return self._services.variables.masker.mask(str(text))

    async def _of(self, channel: str, session_id: str) -> Thread | None:
        thread = await self._services.store.thread(ThreadId(session_id))
        return thread if thread is not None and thread.channel == channel else None


def _auth(given: object) -> Auth:
    try:
        return Auth.model_validate(given)
    except ValidationError as error:
        raise StateError(
            "ValueError", "auth has a principal, which is a text, and may have attributes, an object."
        ) from error


def _handle(thread: Thread) -> dict[str, object]:
    return {"id": thread.id, "channel": thread.channel, "status": thread.status.value}


def _reminder(effect: EffectRun) -> dict[str, object]:
    message = parse_object(effect.arguments)["message"]
    return {"id": effect.id, "message": message, "dueAt": effect.due_at}
