"""The verbs: everything a window, a command line or a program can ask of an open project."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from workbench.app.calls.call_record import CallRecord, as_auth
from workbench.app.calls.direct_calls import DirectCalls, Wish
from workbench.app.calls.run_mode import why_no_instant
from workbench.app.connections import Connections
from workbench.app.definitions.definitions import Definitions
from workbench.app.definitions.tool_templates import write_tool
from workbench.app.drafts import FormDrafts
from workbench.app.handover.handover import Handover
from workbench.app.history import History
from workbench.app.inputs.break_rules import BreakRules
from workbench.app.inputs.inputs import Inputs
from workbench.app.notice_board import NoticeBoard
from workbench.app.notices import Notice
from workbench.app.pads.pads import CodePads
from workbench.app.project_settings import ProjectSettings
from workbench.app.server_callers import callers_by_token
from workbench.app.source.store import SourceFiles
from workbench.app.threads.effects import EffectDesk
from workbench.app.threads.model_desk import ModelDesk
from workbench.app.threads.replays import ThreadReplays
from workbench.app.threads.thread_data import ThreadData
from workbench.app.threads.thread_scripts import ThreadScripts
from workbench.app.threads.threads import AgentThreads
from workbench.app.traces import Traces
from workbench.app.variables.project_variables import ProjectVariables
from workbench.base.errors import NotThere, UserError
from workbench.base.ids import CallId, ThreadId, new_call_id
from workbench.domain.auth import LOCAL, Auth
from workbench.domain.calls import ArgumentError, Call, CallRequest, Origin
from workbench.domain.changes import Changes
from workbench.domain.definitions import Diagnostic, Dialect
from workbench.domain.events import Event
from workbench.domain.listing import Listing
from workbench.domain.pages import CallFilter, CallPage
from workbench.domain.threads import Thread
from workbench.domain.value import Value
from workbench.domain.writes import DeleteCall
from workbench.engine.approvals import Verdict
from workbench.engine.bus import Unsubscribe
from workbench.engine.calls.parse import read_arguments
from workbench.engine.calls.running import CallFailed
from workbench.engine.calls.validate import argument_errors
from workbench.engine.engine import Engine
from workbench.engine.ports import SecretVault, Store, StoredFile
from workbench.project.folder import project_slug
from workbench.project.settings import ServerSettings
from workbench.sandbox.sandbox import Sandbox

_log = logging.getLogger(__name__)


class ProjectInfo(Value):
    """Which project is open. `interpreter` runs its Python tools; `writable` is False for a look without traces."""

    name: str
    root: Path
    slug: str
    interpreter: Path
    interpreter_origin: str
    writable: bool = True


class Workbench:
    """An open project. All methods belong to the loop that opened it; see `open_workbench`."""

    store: Final[Store]
    """The history, for reading."""
    connections: Final[Connections]
    """The MCP servers that the project names."""
    history: Final[History]
    """How much history is kept."""
    handover: Final[Handover]
    """Histories out as one file, and in from one."""
    threads: Final[AgentThreads]
    """Agents at work: what can be asked of threads."""
    traces: Final[Traces]
    """Histories handed to a trace store."""
    effects: Final[EffectDesk]
    """What threads have scheduled."""
    thread_data: Final[ThreadData]
    """What a thread keeps beside its messages: files, values, variables."""
    scripts: Final[ThreadScripts]
    """Threads as scripts that are played again."""
    replays: Final[ThreadReplays]
    """Threads that are given once more what came to another one."""
    models: Final[ModelDesk]
    """What a person does with models by hand."""
    sources: Final[SourceFiles]
    """The source files as a person edits them."""
    drafts: Final[FormDrafts]
    """What was typed into tools' forms and not run yet, as `Form.to_draft` gave it."""
    inputs: Final[Inputs]
    """What stands around a tool's form: saved and earlier inputs, sample data, pasting, copying."""
    break_rules: Final[BreakRules]
    """Which calls must be approved beside those whose tools ask for it (C12)."""
    variables: Final[ProjectVariables]
    """Variables as manual calls see them, and their values."""
    notices: Final[NoticeBoard]
    """What a person should be told."""
    code_pads: Final[CodePads]
    """Code that a person tries out in the sandbox."""

    def __init__(
        self,
        root: Path,
        settings: ProjectSettings,
        engine: Engine,
        definitions: Definitions,
        vault: SecretVault,
        *,
        connections: Connections,
        history: History,
        handover: Handover,
        threads: AgentThreads,
        models: ModelDesk,
        traces: Traces,
        sandbox: Sandbox,
        data: Path,
        writable: bool,
    ) -> None:
        self._root = root
        self._settings = settings
        self._engine = engine
        self._services = engine.services
        self.store = engine.services.store
        self._definitions = definitions
        self.connections = connections
        self.history = history
        self.handover = handover
        self.threads = threads
        self.effects = threads.effects
        self.models = models
        self.traces = traces
        self.thread_data = ThreadData(engine.services)
        self.scripts = ThreadScripts(engine.services, root)
        self.replays = ThreadReplays(engine, threads.thread)
        self._writable = writable
        self.variables = ProjectVariables(engine, vault, self.listings)
        self.notices = notices = NoticeBoard(engine.services.variables)
        self.drafts = FormDrafts(data / "drafts", engine.services.variables, notices.tell_of_masking)
        self.sources = SourceFiles(root, data / "drafts" / "source")
        self.inputs = Inputs(root, data / "inputs", engine.services)
        self.break_rules = BreakRules(data, engine.services, notices)
        self._direct = DirectCalls(engine, self._begin)
        self.code_pads = CodePads(data, engine.services, sandbox, self, notices.tell_of_masking)

    # --- the project ----------------------------------------------------------------------------------------

    @property
    def project(self) -> ProjectInfo:
        """Which project is open, as its settings stand now."""
        interpreter = self._settings.interpreter
        return ProjectInfo(
            name=self._settings.name,
            root=self._root,
            slug=project_slug(self._root, self._settings.settings.name),
            interpreter=interpreter.path,
            interpreter_origin=interpreter.origin,
            writable=self._writable,
        )

    @property
    def server_settings(self) -> ServerSettings:
        """What workbench.toml says of calls over HTTP."""
        return self._settings.settings.server

    async def server_callers(self) -> Mapping[str, Auth]:
        """Who calls over HTTP with a token of their own, by that token (H7); UserError where one has none."""
        return await callers_by_token(self.server_settings.callers, self._services.variables)

    def listings(self) -> tuple[Listing, ...]:
        """Every definition file, sorted by name; what failed carries the reason."""
        return self._definitions.listings()

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything that is wrong in the project: settings, folders, definitions."""
        of_files = (item for listing in self.listings() for item in listing.diagnostics)
        of_packages = self._services.catalog.package_diagnostics()
        definitions = self._definitions
        of_places = (
            *self._settings.diagnostics,
            *definitions.folder_diagnostics,
            *definitions.script_diagnostics,
        )
        return (*of_places, *self.connections.diagnostics(), *of_packages, *of_files)

    async def settled(self) -> None:
        """Return when every definition was loaded that the folder holds now."""
        await self._definitions.refresh()

    def source(self, path: str) -> str:
        """The text of a definition file (path relative to the project) as it was loaded."""
        return self._services.catalog.source(path)

    def subscribe(
        self,
        on_event: Callable[[Event], None] | None = None,
        on_changes: Callable[[Changes], None] | None = None,
        on_notice: Callable[[Notice], None] | None = None,
    ) -> Unsubscribe:
        """Listen to what happens; the functions are called in the engine's loop and must be quick.

        `on_notice` is told at once what was said before and still stands.
        """
        stop = self._services.bus.subscribe(on_event, on_changes)
        if on_notice is None:
            return stop
        stop_notices = self.notices.listen(on_notice)

        def unsubscribe() -> None:
            stop()
            stop_notices()

        return unsubscribe

    def new_tool(self, name: str, template: str = "plain") -> Path:
        """Write a new tool from one of TEMPLATES; returns its file. Raises UserError for a bad or taken name."""
        return write_tool(self._root, name, template)

    async def finish_drafts(self) -> None:
        """Write what is to be kept and waits; the project is closed after this."""
        await self.code_pads.close()
        await self.drafts.close()

    # --- calls ----------------------------------------------------------------------------------------------

    async def call_tool(
        self,
        name: str,
        input: Mapping[str, object] | bytes | str,
        *,
        session_id: str | None = None,
        continuation_token: str | None = None,
        dry_run: bool = False,
        approve: bool = False,
        timeout: float | None = None,
        origin: Origin = Origin.PYTHON,
        principal: str = LOCAL,
        attributes: Mapping[str, object] | None = None,
    ) -> CallRecord:
        """Call a tool without a model's turn and wait for its record (H3).

        `input` is a mapping, or JSON text; `timeout` in seconds; `principal` is who asks, `attributes` what is known of
        it, as JSON: a session of somebody else is not there for it (H7). Without a session it runs in
        a folder of its own, which goes when it has ended. Raises CallRefused when it was not served. Cancelling the
        awaiting task stops the call.
        """
        auth = as_auth(principal, attributes)
        wish = Wish(session_id, continuation_token, dry_run, approve, timeout, origin, auth)
        return await self.serve_call(name, input, wish)

    async def serve_call(
        self, name: str, input: Mapping[str, object] | bytes | str, wish: Wish
    ) -> CallRecord:
        """`call_tool` for a door that has a caller of its own to serve; see `Wish`."""
        known = self._services.catalog.find(name)
        may_use_connections = known is None or known.dialect is Dialect.AGENT_SDK
        if may_use_connections and await self.connections.settled():
            await self._definitions.refresh()
        return await self._direct.call(name, input, wish)

    async def start_call(
        self,
        tool: str,
        arguments: bytes,
        *,
        origin: Origin,
        timeout: float | None = None,
        person_attached: bool = False,
        approve: bool = False,
        dry_run: bool = False,
        as_of: str | None = None,
        debug: bool = False,
        thread: Thread | None = None,
    ) -> CallId:
        """Begin a call in the bench thread (or `thread`) and return its id; events tell how it goes.

        `as_of` bounds its arguments in time (C11). Raises UserError when that is no absolute instant.
        With `debug` it waits for a debugger and has no limit; `debugger_state` reads its events.
        """
        if as_of is not None and (why := why_no_instant(as_of)):
            raise UserError(f"“{as_of}” is no absolute instant with a time zone.", hint=why)
        thread = thread or await self._engine.bench()
        # No tool has a secret for its name; whatever this is, it must not be kept.
        tool = (await self._services.variables.refresh_masker()).mask(tool)
        request = CallRequest(
            tool=tool,
            arguments=arguments,
            origin=origin,
            thread_id=thread.id,
            call_id=new_call_id(tool),
            timeout=timeout,
            approve=approve,
            person_attached=person_attached,
            dry_run=dry_run,
            as_of=as_of,
            debug=debug,
        )
        await self._begin(request, thread)
        return request.call_id

    async def _begin(self, request: CallRequest, thread: Thread) -> None:
        await self._engine.start(request, thread)
        self.notices.tell_of_masking()

    async def wait_call(self, call_id: CallId) -> Call:
        """The call when it has ended, also one that was queued."""
        ended = self._engine.ended(call_id)
        if ended is not None:
            return await asyncio.shield(ended)
        return await self.call(call_id)

    async def stop_call(self, call_id: CallId) -> bool:
        """Stop a call with all its processes; False when it does not run (C13)."""
        return await self._engine.stop(call_id)

    async def stop_all(self) -> int:
        """Stop every call under way, and the code of pads; returns how many calls."""
        self.code_pads.stop_all()
        return await self._engine.stop_all()

    async def idle(self) -> None:
        """Return when no call is under way, those that were queued included."""
        await self._engine.idle()

    def live_calls(self) -> tuple[Call, ...]:
        """The calls under way, oldest first."""
        return self._engine.live_calls()

    async def decide(
        self, call_id: CallId, verdict: str, *, arguments: bytes | None = None, reason: str = ""
    ) -> None:
        """Answer a call that waits for an approval: `approve` (perhaps with edited arguments) or `reject` (C12).

        Its thread may run in another process. Raises UserError when it does not wait, or the edited arguments are
        invalid; it then goes on waiting.
        """
        answer = Verdict(approved=verdict == "approve", by="you", reason=reason, arguments=arguments)
        await self._engine.decide(call_id, answer)

    def why_asked(self, call_id: CallId) -> str:
        """What asks for a yes to a call that waits for one, such as a rule; "" when it does not wait (C12)."""
        return self._services.approvals.why(call_id)

    async def call(self, call_id: CallId) -> Call:
        """A call with its whole result, running or ended. Raises UserError when there is none."""
        live = next((call for call in self.live_calls() if call.id == call_id), None)
        found = live or await self.store.call(call_id)
        if found is None:
            raise NotThere(f"There is no call {call_id} in this project.", hint="See `workbench call list`.")
        return found

    async def calls(
        self, filter: CallFilter | None = None, *, limit: int = 100, key: str | None = None
    ) -> CallPage:
        """A page of past calls, newest first."""
        return await self.store.calls(filter or CallFilter(), limit=limit, key=key)

    async def count_calls(self, filter: CallFilter | None = None) -> int:
        """How many calls the filter lets through."""
        return await self.store.count_calls(filter or CallFilter())

    async def delete_call(self, *call_ids: CallId) -> None:
        """Delete calls for good, all of them or none. Raises UserError while one runs."""
        wanted = frozenset(call_ids)
        running = [call.tool for call in self.live_calls() if call.id in wanted]
        if running:
            which = "This call" if len(wanted) == 1 else f"One of these calls ({running[0]})"
            raise UserError(f"{which} still runs.", hint="Stop it first.")
        await self.store.commit(*map(DeleteCall, call_ids))
        self._services.bus.changed(Changes(calls=wanted))

    def check_arguments(self, tool: str, arguments: bytes) -> tuple[ArgumentError, ...]:
        """What is wrong with arguments, without calling. Raises UserError for an unknown tool."""
        definition = self._services.catalog.find(tool)
        if definition is None:
            raise NotThere(f"There is no tool named {tool}.")
        try:
            value = read_arguments(definition, arguments)
        except CallFailed as error:
            return (ArgumentError(path="", rule="json", message=error.failure.message),)
        return argument_errors(self._services, definition, value)

    async def read_file(self, thread_id: ThreadId, path: str) -> bytes:
        """A file of a thread's file system, such as an attachment. Raises UserError when there is none."""
        data = await self.store.read_file(thread_id, path)
        if data is None:
            raise UserError(f"The file {path} is not there any more.")
        return data

    async def files(self, thread_id: ThreadId) -> tuple[StoredFile, ...]:
        """The files of a thread."""
        return tuple(await self.store.files(thread_id))
