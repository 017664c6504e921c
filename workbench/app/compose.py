"""The composition root: the one place where the engine's ports and their adapters are joined."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from workbench.app.connections import Connections
from workbench.app.definitions.definitions import Definitions
from workbench.app.handover.handover import Handover
from workbench.app.history import History
from workbench.app.notices import OPEN_ELSEWHERE, Notice, notices_of_opening
from workbench.app.project_settings import ProjectSettings
from workbench.app.threads.model_desk import ModelDesk
from workbench.app.threads.threads import AgentThreads
from workbench.app.traces import Traces
from workbench.app.upkeep import Follower, Upkeep, background, follow_wishes
from workbench.app.workbench import Workbench
from workbench.base.clock import Clock, SystemClock
from workbench.base.ids import ProjectId
from workbench.base.logs import logging_to
from workbench.base.paths import project_data_dir, user_data_dir
from workbench.domain.definitions import Language
from workbench.engine.approvals import Approvals
from workbench.engine.bus import Bus
from workbench.engine.catalog import Catalog
from workbench.engine.engine import Engine
from workbench.engine.folders import Folders
from workbench.engine.ports import AccountStore, SecretVault, Store, ToolHost
from workbench.engine.services import Services
from workbench.engine.variables import Variables
from workbench.hosts.python_host import PythonHost
from workbench.hosts.script_host import ScriptHost
from workbench.models import Models, RecordedModels
from workbench.project.folder import find_project, make_data_dir
from workbench.sandbox.code_sessions import SandboxCode
from workbench.sandbox.sandbox import Sandbox
from workbench.sandbox.typescript_host import TypescriptHost
from workbench.secrets.vault import KeyringVault
from workbench.store import SqliteAccountStore, SqliteStore, open_account_store, open_store


@asynccontextmanager
async def open_workbench(
    project: str | Path,
    *,
    read_only: bool = False,
    watch: bool = False,
    load: bool = True,
    connect: bool = True,
    person_attached: bool = False,
    data_dir: Path | None = None,
    log_dir: Path | None = None,
    vault: SecretVault | None = None,
    clock: Clock | None = None,
) -> AsyncGenerator[Workbench]:
    """Open a project and load its definitions; leaving the block stops its calls and threads and closes it.

    `read_only` makes nothing in the project: calls and values then live in a folder that goes when it closes
    (H5). `watch` reloads what changes on disk, and opens before the definitions are loaded. Without `load` none is
    loaded, for a look at the history. Without `connect` MCP servers are reached when a tool is called that is not the
    project's own. `person_attached`: somebody answers what threads ask for (C5, C12). `data_dir` is the person's own
    folder, `vault` the place of secrets; both default to the machine's. What the program says of itself meanwhile is
    written to a file in `log_dir`, secrets masked. Raises UserError when the project cannot be opened.
    """
    clock = clock or SystemClock()
    root = await asyncio.to_thread(find_project, Path(project))
    async with AsyncExitStack() as stack:
        folder = await _data_folder(root, stack, passing=read_only)
        store, accounts = await _stores(folder, _account_file(data_dir, folder, read_only), clock, stack)
        vault, settings = vault or _keyring(store.project_id, stack), await ProjectSettings.read(root)
        variables = await _variables(store, accounts, vault, bus := Bus())
        runners, models = _runners(stack), _models(root, stack)
        hosts = _hosts(root, settings, runners.sandbox, stack, keeps=not read_only)
        services = _services(store, hosts, models, variables, runners, bus=bus, clock=clock, folder=folder)
        traces = await _traces(settings, services, stack, passing=read_only)
        engine = _engine(services, stack, person_attached=person_attached)
        connections = Connections(root, settings, services, hosts)
        definitions = Definitions(root, settings, services, hosts, connections)
        workbench = Workbench(
            root,
            settings,
            engine,
            definitions,
            vault,
            connections=connections,
            history=History(root, settings, store, bus),
            handover=Handover(services, store, lambda: settings.name),
            threads=AgentThreads(engine, store),
            models=ModelDesk(services, models, folder / "drafts" / "answers"),
            traces=traces,
            sandbox=runners.sandbox,
            data=folder,
            writable=not read_only,
        )
        await _begin(workbench, store, variables, log_dir, stack)
        if watch:
            upkeep = Upkeep(root, workbench, store, engine, settings, definitions, connections)
            await stack.enter_async_context(upkeep.going_on())
        elif load:
            wishes = None if read_only else partial(follow_wishes, store, engine, workbench.models)
            await _load(workbench, definitions, connections, stack, connect=connect, wishes=wishes)
        yield workbench


async def _stores(
    folder: Path, account: Path, clock: Clock, stack: AsyncExitStack
) -> tuple[SqliteStore, SqliteAccountStore]:
    store = await open_store(folder / "threads.db", clock=clock)
    stack.push_async_callback(store.close)
    accounts = await open_account_store(account)
    stack.push_async_callback(accounts.close)
    return store, accounts


async def _begin(
    workbench: Workbench,
    store: SqliteStore,
    variables: Variables,
    log_dir: Path | None,
    stack: AsyncExitStack,
) -> None:
    """Take up what was left, and say what is to be said of the opening."""
    stack.push_async_callback(workbench.finish_drafts)
    await workbench.break_rules.take_kept()
    if log_dir is not None:
        await _keep_log(log_dir, variables, workbench, stack)
    for notice in notices_of_opening(store):
        workbench.notices.post(notice)
    if await store.is_shared():
        workbench.notices.post(OPEN_ELSEWHERE)
    await _follow(workbench, stack, hand_out_traces=workbench.traces.follow)


async def _follow(workbench: Workbench, stack: AsyncExitStack, **followers: Follower) -> None:
    await stack.enter_async_context(background(workbench.notices.post, **followers))


async def _variables(store: Store, accounts: AccountStore, vault: SecretVault, bus: Bus) -> Variables:
    variables = Variables(store, accounts, vault, bus)
    await variables.load()
    return variables


async def _load(
    workbench: Workbench,
    definitions: Definitions,
    connections: Connections,
    stack: AsyncExitStack,
    *,
    connect: bool,
    wishes: Follower | None,
) -> None:
    """Load once, and follow what others change while it is open: what connections offer, what other processes wish."""
    await _follow(workbench, stack, follow_connections=partial(connections.follow, definitions.refresh))
    reaching = asyncio.create_task(connections.settled()) if connect else None
    await definitions.refresh()
    await definitions.reveal_withheld()
    if reaching is not None and await reaching:
        await definitions.refresh()
    if wishes is not None:
        await _follow(workbench, stack, follow_wishes=wishes)


class _Runners(NamedTuple):
    """What runs code that no definition holds."""

    sandbox: Sandbox
    scripts: ScriptHost


def _runners(stack: AsyncExitStack) -> _Runners:
    runners = _Runners(Sandbox(), ScriptHost())
    for runner in runners:
        stack.push_async_callback(runner.close)
    return runners


def _hosts(
    root: Path, settings: ProjectSettings, sandbox: Sandbox, stack: AsyncExitStack, *, keeps: bool
) -> dict[Language, ToolHost]:
    """`keeps`: what TypeScript files define is written down, so that it is at hand when the project is opened again."""
    hosts: dict[Language, ToolHost] = {
        Language.PYTHON: PythonHost(root, settings.interpreter.path),
        Language.TYPESCRIPT: TypescriptHost(
            root,
            sandbox,
            lambda: settings.settings.sandbox.allow_hosts,
            kept=project_data_dir(root) / "typescript.json",
            keeps=keeps,
        ),
    }
    stack.push_async_callback(_close_hosts, hosts)
    return hosts


def _models(root: Path, stack: AsyncExitStack) -> Models:
    models = Models(root)
    stack.push_async_callback(models.close)
    return models


def _services(
    store: Store,
    hosts: dict[Language, ToolHost],
    models: Models,
    variables: Variables,
    runners: _Runners,
    *,
    bus: Bus,
    clock: Clock,
    folder: Path,
) -> Services:
    """What the engine needs, with its ports filled."""
    return Services(
        store=store,
        hosts=hosts,
        models=models,
        recorded_models=RecordedModels(store),
        variables=variables,
        catalog=Catalog([*hosts, Language.MCP]),
        approvals=Approvals(),
        bus=bus,
        clock=clock,
        folders=Folders(folder),
        code=SandboxCode(runners.sandbox),
        scripts=runners.scripts,
    )


async def _traces(
    settings: ProjectSettings, services: Services, stack: AsyncExitStack, *, passing: bool
) -> Traces:
    """Listening until the engine has closed, so that what this stops is handed out, too."""
    traces = Traces(settings, services)
    if not passing:
        await stack.enter_async_context(traces.listening())
    return traces


def _engine(services: Services, stack: AsyncExitStack, *, person_attached: bool) -> Engine:
    engine = Engine(services, person_attached=person_attached)
    stack.push_async_callback(engine.close)
    return engine


def _keyring(project_id: ProjectId, stack: AsyncExitStack) -> SecretVault:
    keyring = KeyringVault(project_id)
    stack.push_async_callback(keyring.close)
    return keyring


def _account_file(person: Path | None, passing: Path, read_only: bool) -> Path:
    """The person's own store; a look makes none."""
    file = (person or user_data_dir()) / "account.db"
    return passing / file.name if read_only and not file.exists() else file


async def _keep_log(folder: Path, variables: Variables, workbench: Workbench, stack: AsyncExitStack) -> None:
    def masked(line: str) -> str:
        return variables.masker.mask(line)  # asked for each line: it changes with the secrets

    try:
        await asyncio.to_thread(stack.enter_context, logging_to(folder, mask=masked))
    except OSError as error:
        workbench.notices.post(
            Notice("info", f"No log can be kept in {folder}: {error.strerror}.", key="no-log")
        )


async def _data_folder(root: Path, stack: AsyncExitStack, *, passing: bool) -> Path:
    """The project's own folder, or one that goes away with the stack."""
    if passing:
        return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-")))
    return await asyncio.to_thread(make_data_dir, root)


async def _close_hosts(hosts: dict[Language, ToolHost]) -> None:
    for host in hosts.values():
        await host.close()
