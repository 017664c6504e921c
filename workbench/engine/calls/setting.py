"""What surrounds the calls of a turn: the names they may use, whose messages they write. The bench is the plain one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from workbench.base.ids import MessageId
from workbench.domain.agents import SideName
from workbench.domain.calls import Origin, ToolResult
from workbench.domain.threads import Message
from workbench.domain.tools import ToolDefinition
from workbench.engine.catalog import Catalog
from workbench.engine.ports import HostAnswer

if TYPE_CHECKING:
    from workbench.engine.calls.running import RunningCall

StateMethod = Callable[[Mapping[str, object]], Awaitable[object]]
"""One method of the author's `state`: parameters in, answer out. Raises StateError to refuse."""

Perform = Callable[["RunningCall"], Awaitable[HostAnswer]]

_NOTHING: Mapping[str, object] = {}
_NO_ENV: Mapping[str, str] = {}


async def _no_relatives(params: Mapping[str, object]) -> object:
    del params
    return None


async def _no_children(params: Mapping[str, object]) -> object:
    del params
    return []


_ALONE: Mapping[str, StateMethod] = {"children": _no_children, "relative": _no_relatives}


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a thread the calls of a turn stand. `parent_id` is the result that a sub-prompt works for (T4)."""

    side: SideName | None = None
    prompt: str | None = None
    depth: int = 0
    parent_id: MessageId | None = None


@dataclass(frozen=True, slots=True)
class Offered:
    """A callable by a name. `env` are values of the tool scope (V1), `options` reach the tool with the call."""

    tool: ToolDefinition
    env: Mapping[str, str] = field(default_factory=lambda: _NO_ENV)
    options: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    perform: Perform | None = None
    """What runs it in the engine; None for a tool, which its host runs."""


class MessageHooks(Protocol):
    """What watches messages that code writes (T8). Nothing here raises."""

    async def before_create(self, message: Message) -> Message:
        """The message as it is to be kept."""
        ...

    def created(self, message: Message) -> None: ...

    async def before_update(self, message: Message, updates: Mapping[str, object]) -> Mapping[str, object]:
        """The changes as they are to be made."""
        ...

    def updated(self, message: Message) -> None: ...


class NoHooks:
    """Nothing watches."""

    async def before_create(self, message: Message) -> Message:
        return message

    def created(self, message: Message) -> None:
        """Nobody is told."""

    async def before_update(self, message: Message, updates: Mapping[str, object]) -> Mapping[str, object]:
        del message
        return updates

    def updated(self, message: Message) -> None:
        """Nobody is told."""


class Setting(Protocol):
    """The bench, or a step of a thread."""

    @property
    def place(self) -> Place: ...

    @property
    def message_hooks(self) -> MessageHooks: ...

    def find(self, name: str, origin: Origin) -> Offered | None:
        """What a call by this name runs; None when there is nothing, or it is not offered to whoever asks (C2)."""
        ...

    def nearest(self, name: str) -> tuple[str, ...]:
        """Names that can be called and are spelled alike."""
        ...

    def why_not_offered(self, name: str) -> tuple[str, str] | None:
        """Message and hint for what is there and not offered to a model here; None when it is not there (C2)."""
        ...

    def execution(self) -> Mapping[str, object] | None:
        """What `state.execution` says, by the wire's names; None outside a run."""
        ...

    def methods(self) -> Mapping[str, StateMethod]:
        """What the author's `state` can do here beyond what it can do everywhere."""
        ...

    def announced(self, call: RunningCall, progress: str | None) -> None:
        """`tool_call_started` has fired (C8)."""
        ...

    async def settle(self, call: RunningCall, result: ToolResult) -> ToolResult:
        """The result as it is to be kept (T8). Does not raise."""
        ...


class Bench:
    """Calls made by hand: any tool of the project, and nothing of a run."""

    place: Place = Place()
    message_hooks: MessageHooks = NoHooks()

    def __init__(self, catalog: Catalog, methods: Mapping[str, StateMethod] | None = None) -> None:
        self._catalog = catalog
        self._methods = {**_ALONE, **(methods or {})}

    def find(self, name: str, origin: Origin) -> Offered | None:
        del origin
        tool = self._catalog.find(name)
        return None if tool is None else Offered(tool)

    def nearest(self, name: str) -> tuple[str, ...]:
        return self._catalog.nearest(name)

    def why_not_offered(self, name: str) -> tuple[str, str] | None:
        del name
        return None

    def execution(self) -> Mapping[str, object] | None:
        return None

    def methods(self) -> Mapping[str, StateMethod]:
        return self._methods

    def announced(self, call: RunningCall, progress: str | None) -> None:
        del call, progress

    async def settle(self, call: RunningCall, result: ToolResult) -> ToolResult:
        del call
        return result
