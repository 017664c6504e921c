"""What an author's code may ask of its thread while it runs: the types an editor completes.

The worker fills them. An `async` function awaits the methods; for a plain function the same methods block and
return the value itself (D4). Every name may also be written in camelCase.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from workbench.authoring.code import CodeExecution
from workbench.authoring.context import Artifacts, Auth, Host, Session, SessionHandle
from workbench.authoring.execution import Execution
from workbench.authoring.record import Record
from workbench.authoring.results import ToolResult


class FileStream(Protocol):
    """The pieces of a file in order: records of `data` (at most 1,750,000 bytes), `index` from 0 and `count` (D8)."""

    def __iter__(self) -> Iterator[Record]: ...

    def __aiter__(self) -> AsyncIterator[Record]: ...


class Storage(Protocol):
    """The thread's durable values under their older name (T11)."""

    def get(self, key: str) -> Awaitable[Any]: ...

    def put(self, key: str, value: Any) -> Awaitable[None]: ...

    def delete(self, key: str) -> Awaitable[None]: ...


class ThreadState(Protocol):
    """The thread that a call belongs to.

    `arguments` were given when the thread was made and are read-only. `context` is scratch space that the tools,
    hooks and handlers of one run share, from the time the thread is woken until it has nothing more to do; a call
    made by hand shares it with the calls that it queues and invokes. What is not JSON in it lasts for one call.
    Values are JSON and last as long as the thread (T7). `options` are those of the entry in the prompt's `tools`.

    What exists only while a thread runs is None at rest, as in an effect or a call made by hand: `execution` and
    the older `flow_id`, `agent_config`, `current_side`, `turn_count`, `stopped`, `message_history` (T11).
    """

    thread_id: str
    agent_id: str
    user_id: str | None
    created_at: int
    """Microseconds since the epoch."""
    terminated: int | None
    """When the thread was ended for good, likewise."""
    arguments: Mapping[str, Any]
    options: Mapping[str, Any]
    execution: Execution | None
    call_id: str
    tool_call_id: str
    """The same; this and the rest up to `artifacts` as `ctx` has them (see ToolContext)."""
    session: Session
    approved_by: Auth | None
    workspace_dir: Path
    """A folder of this thread's own, made before the call (T12)."""
    state_root: Path
    host: Host
    artifacts: Artifacts
    storage: Storage
    root_state: ThreadState
    flow_id: str | None
    agent_config: Any
    current_side: Literal["a", "b"] | None
    turn_count: int | None
    stopped: bool | None
    message_history: list[Record] | None

    @property
    def context(self) -> dict[str, Any]: ...

    def env(self, name: str) -> Awaitable[str]:
        """A variable's value, by the order of scopes (V1); None for a declared optional one without a value.

        Raises MissingVariable when nothing gives it a value (V3).
        """
        ...

    def send(
        self,
        channel: str,
        message: str,
        *,
        key: str = "",
        agent: str | None = None,
        auth: Auth | Mapping[str, Any] | None = None,
    ) -> Awaitable[SessionHandle]:
        """Give a session of a channel a message; one begins where there is none (see ToolContext)."""
        ...

    def get_session(self, channel: str, id: str) -> Awaitable[SessionHandle | None]: ...

    def env_type(self, name: str) -> Awaitable[Literal["text", "secret"]]: ...

    def set_env(
        self, name: str, value: str, *, type: Literal["text", "secret"] | None = None
    ) -> Awaitable[None]:
        """Set the thread's own value. Without `type` a known variable keeps its type, a new one is secret (V3)."""
        ...

    def get_value(self, key: str) -> Awaitable[Any]:
        """A durable value, or None."""
        ...

    def set_value(self, key: str, value: Any) -> Awaitable[None]:
        """Keep a JSON value with the thread; None deletes it (T7)."""
        ...

    def get_messages(
        self,
        *,
        limit: int = 100,
        offset: int = 0,
        order: Literal["asc", "desc"] = "asc",
        include_silent: bool = False,
        max_depth: int = 0,
    ) -> Awaitable[Record]:
        """A record of `messages`, `total` and `has_more` (T3)."""
        ...

    def get_message(self, id: str) -> Awaitable[Record | None]: ...

    def inject_message(self, message: Mapping[str, Any]) -> Awaitable[Record]:
        """Write a message (`role`, `content`, `silent`, `metadata`) without starting the thread (T3)."""
        ...

    def queue_message(self, message: Mapping[str, Any]) -> Awaitable[None]:
        """Hand the thread a message before its next step; an idle thread starts (T3).

        `content`; `role` (user without one), `silent`, `metadata`, and `attachments`: paths of files of the thread.
        """
        ...

    def update_message(self, id: str, updates: Mapping[str, Any]) -> Awaitable[Record]: ...

    def delete_message(self, id: str) -> Awaitable[bool]: ...

    def set_status(self, status: str) -> Awaitable[None]:
        """Say in a few words what the thread is at; its parent and whoever watches see it."""
        ...

    def stop_session(
        self, message: str = "", *, failed: bool = False, attachments: Sequence[str] = ()
    ) -> Awaitable[None]:
        """End the session with this turn, as a success or a failure; a parent gets the message and copies of the files.
        Takes effect at once, without await. Raises RuntimeError at rest (T2)."""
        ...

    def terminate(self) -> Awaitable[None]:
        """End the thread for good after the call under way: it takes no more work (T5)."""
        ...

    @property
    def children(self) -> list[Record]:
        """The threads right below this one, as they stand now, without await: records of `reference`, `name`,
        `threadName`, `agent`, `blocking`, `createdAt` (microseconds), `status` and `parentCommunication` (T5)."""
        ...

    def get_child_thread(self, reference: str) -> Awaitable[ThreadState | None]:
        """The state of the child of this `reference`, or None (T18).

        It is that of a thread at rest, whatever the child does: `execution` is None, what belongs to a run is refused,
        and what it logs is logged by this call. Its own children and parent can be reached in turn.
        """
        ...

    def get_parent_thread(self) -> Awaitable[ThreadState | None]:
        """The state of the thread that this one is a child of, likewise; None at the top (T18)."""
        ...

    def notify_parent(self, content: str) -> Awaitable[None]:
        """Leave the parent a silent message. Raises when there is no parent (T5)."""
        ...

    def schedule_effect(self, name: str, args: Any = None, delay: float = 0) -> Awaitable[str]:
        """Run an effect after `delay` milliseconds, also if the program ends meanwhile; its id (T16).

        Raises for an effect that is not there, or that does not take these `args`.
        """
        ...

    def get_scheduled_effects(self, name: str | None = None) -> Awaitable[list[Record]]:
        """What this thread scheduled and what has not begun: records of `id`, `name`, `args`, `scheduledAt` (when it
        is due) and `createdAt`, both in microseconds."""
        ...

    def remove_scheduled_effect(self, id: str) -> Awaitable[bool]:
        """Take an effect back; False when it has begun, or there is none."""
        ...

    def load_model(self, name: str) -> Awaitable[Record]:
        """A definition under the names of its `define_…` call. Raises LookupError when there is none."""
        ...

    def load_prompt(self, name: str) -> Awaitable[Record]: ...

    def load_agent(self, name: str) -> Awaitable[Record]: ...

    def get_model_names(self) -> Awaitable[list[str]]: ...

    def get_prompt_names(self) -> Awaitable[list[str]]: ...

    def get_agent_names(self) -> Awaitable[list[str]]: ...

    def queue_tool(self, name: str, args: Mapping[str, Any] | None = None) -> Awaitable[None]:
        """Run a tool after this one. Takes effect at once, without await; raises when it is refused (C4, C6)."""
        ...

    def invoke_tool(self, name: str, args: Mapping[str, Any] | None = None) -> Awaitable[ToolResult]:
        """Run a tool now, as a part of this call; a refusal is an error result (C4, C6)."""
        ...

    def emit(self, event: str, data: Any = None) -> Awaitable[None]:
        """Tell who watches, at once, without await. `progress` moves the call's bar and text (C17):
        `{"current", "total"}` or `{"percentage"}`, and `message`."""
        ...

    def log(self, text: str) -> None:
        """Add a line to the call's log."""
        ...

    def write_file(
        self,
        path: str,
        data: bytes | str,
        mime_type: str | None = None,
        *,
        width: int | None = None,
        height: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        thumbnail: bytes | None = None,
    ) -> Awaitable[Record]:
        """Write a file of the thread's file system, whole; its record. Text is written as UTF-8.

        The size of a picture is read from its bytes when it is not given. Raises ValueError for a thumbnail of more
        than 256 KiB.
        """
        ...

    def read_file(self, path: str) -> Awaitable[bytes | None]:
        """The file's bytes, or None when there is none."""
        ...

    def read_file_stream(self, path: str) -> Awaitable[FileStream | None]:
        """The file piece by piece, or None when there is none: `for` goes through it, in an async function `async for`.

        Raises RuntimeError, at a piece, when the file was changed meanwhile.
        """
        ...

    def get_file_thumbnail(self, path: str) -> Awaitable[bytes | None]:
        """The thumbnail that was written with a file, or a picture of up to 64 KiB itself; None for anything else."""
        ...

    def stat_file(self, path: str) -> Awaitable[Record | None]:
        """A record of `path`, `name`, `mimeType`, `size` (bytes), `isDirectory`, `createdAt` (microseconds), an image's
        `width` and `height`, and its `metadata`; None when there is nothing at the path."""
        ...

    def readdir_file(self, path: str = "/") -> Awaitable[Record]:
        """A record of `entries`: what the folder holds, by name, as `stat_file` describes it."""
        ...

    def unlink_file(self, path: str) -> Awaitable[None]:
        """Remove a file, if there is one."""
        ...

    def mkdir_file(self, path: str) -> Awaitable[Record]: ...

    def rmdir_file(self, path: str) -> Awaitable[None]:
        """Remove a folder, if there is one. Raises OSError when it is not empty."""
        ...

    def get_file_stats(self) -> Awaitable[Record]:
        """A record of `totalSize` (bytes) and `fileCount`."""
        ...

    def grep_files(
        self, pattern: str, path: str = "/", *, limit: int | None = None
    ) -> Awaitable[list[Record]]:
        """The text files at or below `path`, at most `limit`, with a line that the regular expression matches:
        records of `path`, `name`, `matches` (the lines) and `lineNumbers` (from 1).

        Raises ValueError for a pattern that cannot be read.
        """
        ...

    def run_code(
        self,
        source: str,
        *,
        execute: Mapping[str, Any] | None = None,
        imports: Mapping[str, Mapping[str, Any]] | None = None,
        globals: Mapping[str, Any] | None = None,
        modules: Mapping[str, str] | None = None,
        language: Literal["typescript", "javascript"] | None = None,
        filename: str | None = None,
        memory_limit_bytes: int | None = None,
        report: Callable[[Any], Any] | None = None,
    ) -> CodeExecution:
        """Run a module of JavaScript or TypeScript in the sandbox, and give its handle at once, without await (X1).

        `execute` is `{"fn": …, "args": […]}`, the default export without it. `imports` are what it can import by
        a bare name, `globals` what stands there by itself, `modules` texts by relative names; functions in
        `imports`, `globals` and arguments are called here. `report` hears what it reports. The code reaches nothing
        else (X3); what it logs is the log of the call.
        """
        ...

    def find_files(
        self,
        pattern: str,
        *,
        type: Literal["file", "directory", "all"] = "file",
        limit: int | None = None,
    ) -> Awaitable[list[Record]]:
        """What has a path or name that a shell pattern (`*.md`) matches, as `stat_file` describes it."""
        ...
