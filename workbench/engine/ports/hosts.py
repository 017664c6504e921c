"""What runs code: definitions, calls of tools, scripts, code that a tool hands over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from workbench.base.ids import CallId
from workbench.domain.definitions import DefinitionFile, LoadedFile


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
    `reminders{}` `cancelReminder{id}` · `sendTo{channel,message,key,agent,auth}` `getSession{channel,id}` ·
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
