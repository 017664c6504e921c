"""The ports: what the engine needs from the world, as protocols that adapters fill.

A store keeps histories, a host runs code, a vault keeps secrets, a model answers. Each has one contract test suite in
`tests/contracts`, run against every implementation and against the doubles of `workbench.engine.doubles`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import SecretStr

from workbench.base.errors import RunError
from workbench.base.ids import CallId, EffectId, MessageId, RequestId, ThreadId
from workbench.domain.calls import Call
from workbench.domain.definitions import DefinitionFile, LoadedFile
from workbench.domain.effects import EffectRun, EffectState
from workbench.domain.events import EffectMoved
from workbench.domain.model_answers import Delta, ModelFailure
from workbench.domain.model_requests import ModelRequest, Turn
from workbench.domain.pages import CallFilter, CallPage, ConversationPage
from workbench.domain.requests import Request
from workbench.domain.spans import ThreadSpans
from workbench.domain.threads import Inbound, Message, MessagePage, Thread, ThreadKind
from workbench.domain.variables import Place, Scope, VariableRow
from workbench.domain.writes import Write

# --- the store ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A thread at one moment, as its next request is made of it."""

    history: Sequence[Message]
    """Its messages in their order, of any depth."""
    answers: int
    """How many requests of the conversation have been answered."""
    is_written_to: bool
    """Whether something waits in its inbox."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a thread's file system, without its bytes."""

    path: str
    size: int
    mime_type: str
    created_at: int
    width: int | None = None
    height: int | None = None
    metadata: str | None = None
    """JSON text."""


@dataclass(frozen=True, slots=True)
class PartOfFile:
    """A piece of a file: the one at `index` of `count`. Pieces of one `version` belong together."""

    data: bytes
    index: int
    count: int
    version: str


class Store(Protocol):
    """One project's history. Writes are batches; reads see every batch that was acknowledged."""

    async def commit(self, *writes: Write, flush: bool = True) -> None:
        """Write all of them in one transaction; returns when they are on the disk.

        Without `flush` it returns when a killed program cannot lose them; only a power cut could.

        Batches are written in the order of the calls; one that carries values over 64 KiB takes its place when
        these are on disk. Raises UserError when the store cannot be written
        (disk full, read-only), with nothing of the batch kept.
        """
        ...

    def write_soon(self, *writes: Write) -> None:
        """Write all of them before whatever is committed from here on; nobody waits for that.

        Only for what may be lost without a word where nothing can be written: the next commit says so.
        """
        ...

    async def thread(self, thread_id: ThreadId) -> Thread | None: ...

    async def bench_thread(self) -> Thread | None:
        """The project's thread of manual calls, if there is one yet."""
        ...

    async def threads(self, kind: ThreadKind | None = None) -> Sequence[Thread]:
        """Newest first."""
        ...

    async def session(self, channel: str, key: str) -> Thread | None:
        """The newest thread that was begun on this channel under this key."""
        ...

    async def claim(self, thread_id: ThreadId) -> Thread | None:
        """Take a thread to run it: its row as it is now (T9).

        None when there is none, or another living process runs it. It is held until its row is put with a status
        that is not under way, or it is let go.
        """
        ...

    async def let_go(self, thread_id: ThreadId) -> None:
        """A thread that was claimed is not run."""
        ...

    async def is_elsewhere(self, thread_id: ThreadId) -> bool:
        """Whether another living process runs the thread."""
        ...

    async def elsewhere_within(self, thread_id: ThreadId) -> Sequence[ThreadId]:
        """Which of a thread and all below it other living processes run."""
        ...

    async def count_exchange(self, root: ThreadId) -> int:
        """One more message between the threads of the tree with this root; how many since a person spoke (T15)."""
        ...

    async def forget_exchanges(self, root: ThreadId) -> None:
        """A person spoke in that tree."""
        ...

    async def children(self, thread_id: ThreadId) -> Sequence[Thread]:
        """The threads right below a thread, oldest first."""
        ...

    async def call(self, call_id: CallId) -> Call | None:
        """The whole call with its result; None if there is none."""
        ...

    async def calls(self, filter: CallFilter, *, limit: int = 100, key: str | None = None) -> CallPage: ...

    async def count_calls(self, filter: CallFilter) -> int: ...

    async def events(self, thread_id: ThreadId, *, call_id: CallId | None = None) -> Sequence[str]:
        """Events as JSON text, oldest first."""
        ...

    async def message(self, message_id: MessageId) -> Message | None: ...

    async def messages(
        self,
        thread_id: ThreadId,
        *,
        limit: int = 100,
        offset: int = 0,
        descending: bool = False,
        include_silent: bool = False,
        max_depth: int = 0,
    ) -> MessagePage:
        """T3."""
        ...

    async def history(self, thread_id: ThreadId, *, since: MessageId | None = None) -> Sequence[Message]:
        """Every message of a thread in its order, of any depth; with `since` from that message on."""
        ...

    async def conversation(
        self, thread_id: ThreadId, *, before: MessageId | None = None, limit: int = 100
    ) -> ConversationPage:
        """The messages just before one, or the last ones, with a line for each call that they carry."""
        ...

    async def inbox(self, thread_id: ThreadId) -> Sequence[Inbound]:
        """What waits for a thread, oldest first."""
        ...

    async def requests(self, thread_id: ThreadId) -> Sequence[Request]:
        """The model requests of a thread, oldest first."""
        ...

    async def snapshot(
        self, thread_id: ThreadId, conversation: str, *, since: MessageId | None = None
    ) -> Snapshot:
        """What the next request of this conversation of a thread is made of: one look at one moment."""
        ...

    async def asked(self, request_id: RequestId) -> ModelRequest | None:
        """What a request sent, built again; None when there is no such request."""
        ...

    async def last_turns(self, thread_id: ThreadId) -> Mapping[RequestId, Turn]:
        """What each request of a thread ended with, of those that sent something that is still there."""
        ...

    async def spans(self, thread_id: ThreadId) -> Sequence[ThreadSpans]:
        """What a thread and all below it did over time, itself first; empty when there is no such thread."""
        ...

    async def effects(
        self,
        thread_id: ThreadId | None = None,
        *,
        name: str | None = None,
        states: Collection[EffectState] = (),
        limit: int = -1,
        before: EffectId | None = None,
    ) -> Sequence[EffectRun]:
        """Of one thread or of all, of one name or of all, in these states or in any: by when they are due.

        All of them, or the last so many; with `before` those that come before that one.
        """
        ...

    async def effect(self, effect_id: EffectId) -> EffectRun | None: ...

    async def due_effects(self, now_us: int) -> tuple[Sequence[EffectRun], int | None]:
        """What is to be run by now, in order, and when the next one is due after that."""
        ...

    async def move_effect(self, changed: EffectRun, was: EffectState) -> EffectMoved | None:
        """Put an effect if it still is in the state that it was in; the event that was kept with it, else None (T16).

        One that begins to run is held by this process until it moves on. One that another process moves from there
        (it was cancelled) is held until `let_go_effect`.
        """
        ...

    async def let_go_effect(self, effect_id: EffectId) -> None:
        """Nothing of an effect runs here any more."""
        ...

    async def is_effect_held(self, effect_id: EffectId) -> bool:
        """Whether a living process, this one or another, has something of the effect running."""
        ...

    async def value(self, thread_id: ThreadId, key: str) -> str | None:
        """The value's JSON text, or None."""
        ...

    async def values(self, thread_id: ThreadId) -> Sequence[tuple[str, str]]:
        """Every value of a thread by its key: key and JSON text (T7)."""
        ...

    async def files(self, thread_id: ThreadId, prefix: str = "/") -> Sequence[StoredFile]: ...

    async def read_file(self, thread_id: ThreadId, path: str) -> bytes | None: ...

    async def read_part(self, thread_id: ThreadId, path: str, index: int) -> PartOfFile | None:
        """A piece of a file, at most 1,750,000 bytes (D8); an empty file has none, its first one is empty."""
        ...

    async def read_thumbnail(self, thread_id: ThreadId, path: str) -> bytes | None: ...

    async def variables(self) -> Sequence[VariableRow]:
        """Every row of the project's store: instance and thread scope."""
        ...

    async def definition(self, version: str) -> tuple[str, str] | None:
        """Source and schema (JSON text) of a definition version."""
        ...


class AccountStore(Protocol):
    """The person's own store: account variables (V1)."""

    async def variables(self) -> Sequence[VariableRow]: ...

    async def put_variable(self, row: VariableRow) -> None: ...

    async def delete_variable(self, name: str) -> None: ...


# --- secrets -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VaultState:
    """How the keyring stands, in a state a view can draw and words a person can act on (V4)."""

    name: Literal["ready", "locked", "waiting", "absent", "refused"]
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class SecretKey:
    """Which secret: `account/NAME`, `<project>/instance/NAME` or `<project>/thread/<thread>/NAME` (V4)."""

    scope: Scope
    name: str
    thread_id: ThreadId | None = None


class SecretVault(Protocol):
    """Where secret values lie. Never raises for a designed state: it answers, and `state()` says how it stands."""

    async def state(self) -> VaultState: ...

    async def get(self, key: SecretKey) -> tuple[str, Place] | None:
        """The value and where it lies: session, then keyring, then (instance scope) `WORKBENCH_SECRET_<NAME>`.

        A value of the session is the person's latest word: keeping one in the keyring ends it.
        """
        ...

    async def set(self, key: SecretKey, value: str, *, session_only: bool = False) -> Place:
        """Keep a value and say where. Raises UserError with the state's words when it cannot."""
        ...

    async def delete(self, key: SecretKey) -> None:
        """Forget a value everywhere. Raises UserError when the keyring may hold it and cannot be asked now."""
        ...


# --- hosts -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReturnedAttachment:
    """An attachment as the tool returned it: new (`data` is base64 text) or a reference to a stored file."""

    name: str
    mime_type: str
    data: bytes | None = None
    path: str | None = None
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True, slots=True)
class Returned:
    """The tool's function returned.

    `shape` says what (D7): `tool_result` (a ToolResult, or under `agents/` a mapping that is one), `envelope`
    (content blocks), `text` (a string), `json` (any other value) or `none`.
    For `tool_result`: `is_error`, `text` (its result or error), `stack`, `attachments`.
    For `envelope`: `json` holds the whole envelope, `is_error` its flag. For `json`: `json` holds the value.
    """

    shape: str
    is_error: bool = False
    text: bytes = b""
    json: bytes | None = None
    stack: str = ""
    attachments: tuple[ReturnedAttachment, ...] = ()
    left_behind: tuple[str, ...] = ()
    """Processes that outlived the call and were ended, one line each."""


@dataclass(frozen=True, slots=True)
class Raised:
    """The tool's function raised, or the returned value cannot be JSON. The stack holds the tool's own frames only.

    `kind` is `tool_error`, or `invalid_arguments` when the author's model refused the arguments, or
    `missing_variable`, or `load_error` when the file no longer loads.
    """

    kind: str
    type: str
    message: str
    stack: str = ""
    transient: bool = False
    left_behind: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Died:
    """The process that ran the tool is gone. `reason` is in words (`exited with code 3`, `killed by SIGSEGV`)."""

    reason: str
    stderr_tail: str = ""
    ended: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unavailable:
    """No process could be had (interpreter missing, cannot start)."""

    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Stopped:
    """The call was stopped on request; `ended` names the processes that were ended, one line each (C13)."""

    ended: tuple[str, ...] = ()


HostAnswer = Returned | Raised | Died | Unavailable | Stopped


@dataclass(frozen=True, slots=True)
class HostCall:
    """What a host needs to run one call. `arguments` is exact JSON text of one object; for a hook and a handler, of
    a list with a value for each parameter after `state`.

    `identity` feeds `state`: threadId, agentId, userId, createdAt, terminated, arguments, workspaceDir (made by whoever
    uses it first, if it is not there), stateRoot, callId, toolName, session (id, channel, mode, auth), approvedBy (as
    auth: principal, attributes); where there are any: options (of the prompt's entry), context (JSON texts by key, T7)
    and, within a run, execution: flowId, currentSide, stepCount, sideAStepCount, sideBStepCount, promptPath.
    """

    call_id: CallId
    file: DefinitionFile
    arguments: bytes
    identity: Mapping[str, object] = field(default_factory=dict[str, object])
    nested: bool = False
    """A nested call gets a worker beyond the pool's cap (C6)."""
    script: str | None = None
    """The text of a script tool, which a ScriptRunner runs (C14)."""
    debug: bool = False
    """Run in a process of its own that waits for a debugger; it emits `debugger` when it listens and is attached."""


class StateError(Exception):
    """A state method refuses. `type` is the exception that the author's code sees, e.g. `MissingVariable`."""

    def __init__(self, type: str, message: str) -> None:
        super().__init__(message)
        self.type = type
        self.message = message


class CallLink(Protocol):
    """The running call's way back into the engine: what the author's `state` does.

    `ask` serves the methods that answer; names and parameters are the sources' camelCase words:
    `env{name}` -> str|None · `envType{name}` · `setEnv{name,value,type?}` · `getValue{key}` -> value as JSON text or
    None · `setValue{key,json}` · `getMessages{limit,offset,order,includeSilent,maxDepth}` · `getMessage{id}` ·
    `injectMessage{role,content,silent,metadata}` · `queueMessage{…}` · `updateMessage{id,updates}` ·
    `deleteMessage{id}` · `writeFile{path,data(base64),mimeType}` · `readFile{path}` -> base64|None · `statFile{path}` ·
    `readdirFile{path}` · `unlinkFile{path}` · `mkdirFile{path}` · `rmdirFile{path}` · `getFileStats{}` ·
    `grepFiles{path}` -> the files to search, which the worker reads and matches itself: a pattern may take for
    ever · `findFiles{pattern}` ·
    `queueTool{name,argumentsJson}` ·
    `invokeTool{name,argumentsJson}` -> {status,result,error,stack,attachments,context?} ·
    `loadModel{name}` `loadPrompt{name}` `loadAgent{name}` · `getModelNames{}` `getPromptNames{}` `getAgentNames{}` ·
    `hostValue{key}` `setHostValue{key,json}` `hostKeys{prefix}` `hostFile{method,…}` · `setReminder{message,delay}`
    `reminders{}` `cancelReminder{id}` · `sendTo{channel,message,key,agent}` `getSession{channel,id}` ·
    `connectionTools{connection}` `callConnection{connection,tool,argumentsJson}` ·
    `updateContext{set (JSON texts by key),removed}`, which a host sends before `invokeTool` and at the end of a call
    that changed `context` (T7).
    With an agent's thread also: `setStatus{status}` · `terminate{}`; within a run: `stopped{}` -> {stopped,stoppedBy} ·
    `stop{}` · `forceTurn{side}` · `stopSession{message,failed,attachments}` · `messageHistory{}` -> every message.
    `runCode{source,options}` -> number of a run · `runCodeNext{run}` -> its next message ·
    `runCodeAnswer{run,number,outcome}` · `runCodeTerminate{run,reason}` (see CodeSession).
    Raises StateError to refuse.
    """

    async def ask(self, method: str, params: Mapping[str, object]) -> object: ...

    def emit(self, event: str, data: str) -> None:
        """The tool emitted an event; `data` is JSON text.

        A host bounds how many and how much; a last `log` text says what was dropped.
        """
        ...

    def log(self, stream: str, text: str) -> None:
        """The tool printed or logged; `stream` is `stdout`, `stderr` or `log`.

        `text` is whole lines with their ends, or the part of a line that waits for its rest: what a stream
        printed is the texts put together. A host bounds all of it together, dropping whole lines, since half a
        secret could not be recognised; a last `log` text says what was dropped.
        """
        ...


class CodeSession(Protocol):
    """One run of code that a tool handed over, read message by message. Values are JSON with tags
    (see `workbench.sandbox.code_wire`)."""

    async def next(self) -> Mapping[str, object]:
        """`{"call": {number, function, arguments}}`, `{"report": value}`, and at the end
        `{"done": {status, result, error?, logs, reports, durationMs}}` (X2)."""
        ...

    def answer(self, number: int, outcome: Mapping[str, object]) -> None:
        """What the tool's function came to: `{"value": …}` or `{"error": {name, message}}`."""
        ...

    def terminate(self, reason: str) -> None:
        """End it, whatever it is doing; its end is still to be read."""
        ...

    def close(self) -> None:
        """End it; nobody reads any more."""
        ...


class CodeRunner(Protocol):
    """Runs code that a tool hands over (X1)."""

    def start(self, source: str, options: Mapping[str, object]) -> CodeSession:
        """Begin a run. `options` are the sources' camelCase names, functions as tags. Raises WorkbenchError."""
        ...


class ScriptRunner(Protocol):
    """Runs the scripts of tools in the folder of their call (C14)."""

    async def call(self, call: HostCall, link: CallLink) -> HostAnswer:
        """Run one to its end. Cancelling the task ends the whole process tree, too."""
        ...

    async def stop(self, call_id: CallId) -> None:
        """End the call's whole process tree and wait for it; its `call` then answers `Stopped`."""
        ...


class ToolHost(Protocol):
    """Runs definitions of one language.

    The raw form of a definition (LoadedFile.raw), shared by all hosts, camelCase:
        kind        "tool", "prompt", "agent", "model", "hook", "effect" or "handler": which define call it was
        line        where the define call stands
        fields      every field as written, but the schemas and the function; a mapping within may spell its own
                    fields either way (`stopTool`, `stop_tool`); a function is {"$function": true}, what is no JSON
                    is {"$notJson": "<type>"}
        schemas     per schema field (args, inputSchema, outputSchema, tenvs; a prompt's requiredSchema; an effect's
                    args): {"source": "model"|"plain"|"annotation", "schema": {…}} or {"error": "why it gave none"}
        execute     {"async": bool, "parameters": int, "line": int or null}, null, or {"$notJson": "<type>"} for
                    what cannot be called
    Problem codes of a host: syntax-error, import-error, import-timeout, import-exit, no-definition,
    many-definitions, bad-field (a field that does not exist), old-form (a call as earlier versions had it),
    no-interpreter.
    """

    def load(self, files: Sequence[DefinitionFile]) -> AsyncIterator[LoadedFile]:
        """Load each file afresh and describe it, in any order, one bad file never hiding another."""
        ...

    async def call(self, call: HostCall, link: CallLink) -> HostAnswer:
        """Run one call to its end. Cancelling the task ends the whole process tree, too."""
        ...

    async def stop(self, call_id: CallId) -> None:
        """End the call's whole process tree and wait for it; its `call` then answers `Stopped`."""
        ...

    async def evaluate(self, file: DefinitionFile, field: str, arguments: bytes) -> HostAnswer:
        """Call a function-valued field (a needsApproval predicate) with the input; answers a `json` Returned."""
        ...

    async def forget(self, paths: Sequence[str]) -> None:
        """These files changed: no later call may see their old code."""
        ...

    async def close(self) -> None:
        """End every process."""
        ...


# --- models ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asker:
    """For which request of which thread a model is asked: a person who is the model wants to know."""

    thread_id: ThreadId
    request_id: RequestId


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """How a provider is reached. No `base_url` means the provider's own; no key means that none is sent.

    Time-outs in seconds: until the first byte of the answer, and between two of its pieces.
    """

    api_key: SecretStr | None = None
    base_url: str | None = None
    first_piece_timeout: float = 120.0
    next_piece_timeout: float = 120.0
    asker: Asker | None = None


class ModelError(RunError):
    """A request got no answer, or only the beginning of one. `failure` says why; no key stands in it."""

    def __init__(self, failure: ModelFailure) -> None:
        super().__init__(failure.message, hint=failure.hint, detail=failure.detail)
        self.failure = failure


class ModelPort(Protocol):
    """Asks models. It tries once: trying again and fallbacks are the engine's, so that each attempt shows."""

    def stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        """The answer as it comes; the last delta is `Finished`. Raises ModelError, before or amid the deltas.

        Cancelling the task that waits for a delta closes the connection before CancelledError arrives; so does
        closing the iterator.
        """
        ...

    async def close(self) -> None:
        """Close every connection that is kept open."""
        ...
