"""The composition root: the one place where the engine's ports and their adapters are joined."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from workbench.app.definitions import Definitions
from workbench.app.history import History
from workbench.app.model_desk import ModelDesk
from workbench.app.notices import Notice, notices_of_opening
from workbench.app.project_settings import ProjectSettings
from workbench.app.threads import AgentThreads
from workbench.app.upkeep import Upkeep, background, follow_wishes
from workbench.app.workbench import Workbench
from workbench.base.clock import Clock, SystemClock
from workbench.base.ids import ProjectId
from workbench.base.logs import logging_to
from workbench.base.paths import user_data_dir
from workbench.domain.definitions import Language
from workbench.engine.approvals import Approvals
from workbench.engine.bus import Bus
from workbench.engine.catalog import Catalog
from workbench.engine.engine import Engine
from workbench.engine.folders import Folders
from workbench.engine.ports import SecretVault, Store, ToolHost
from workbench.engine.services import Services
from workbench.engine.variables import Variables
from workbench.hosts.python_host import PythonHost
from workbench.models import Models
from workbench.project.folder import find_project, make_data_dir
from workbench.secrets.vault import KeyringVault
from workbench.store import open_account_store, open_store


@asynccontextmanager
async def open_workbench(
    project: Path,
    *,
    read_only: bool = False,
    watch: bool = False,
    load: bool = True,
    person_attached: bool = False,
    approve: bool = False,
    data_dir: Path | None = None,
    log_dir: Path | None = None,
    vault: SecretVault | None = None,
    clock: Clock | None = None,
) -> AsyncGenerator[Workbench]:
    """Open a project and load its definitions; leaving the block stops its calls and threads and closes it.

    `read_only` makes nothing in the project: calls and values then live in a folder that goes when it closes
    (H5). `watch` reloads what changes on disk, and opens before the definitions are loaded. Without `load` none is
    loaded, for a look at the history. `person_attached`: somebody answers what threads ask for (C5, C12);
    `approve`: calls of threads that ask for an approval have it beforehand. `data_dir` is the person's own folder,
    `vault` the place of secrets; both default to the machine's. With `log_dir` what the program says of itself while
    the project is open is written to a file there, secrets masked. Raises UserError when the project cannot be
    opened.
    """
    clock = clock or SystemClock()
    root = await asyncio.to_thread(find_project, project)
    async with AsyncExitStack() as stack:
        folder = await _data_folder(root, stack, passing=read_only)
        store = await open_store(folder / "threads.db", clock=clock)
        stack.push_async_callback(store.close)
        accounts = await open_account_store(_account_file(data_dir or user_data_dir(), folder, read_only))
        stack.push_async_callback(accounts.close)
        vault = vault or _keyring(store.project_id, stack)
        settings = await ProjectSettings.read(root)
        bus = Bus()
        variables = Variables(store, accounts, vault, bus)
        await variables.load()
        hosts: dict[Language, ToolHost] = {Language.PYTHON: PythonHost(root, settings.interpreter.path)}
        stack.push_async_callback(_close_hosts, hosts)
        models = Models(root)
        stack.push_async_callback(models.close)
        services = _services(store, hosts, models, variables, bus=bus, clock=clock, folder=folder)
        engine = Engine(services, person_attached=person_attached, approve=approve)
        stack.push_async_callback(engine.close)
        definitions = Definitions(root, settings, services, hosts)
        history = History(root, settings, store, bus)
        threads = AgentThreads(engine, store)
        desk = ModelDesk(services, models, folder / "drafts" / "answers")
        workbench = Workbench(
            root,
            settings,
            engine,
            definitions,
            vault,
            history=history,
            threads=threads,
            models=desk,
            data=folder,
            writable=not read_only,
        )
        stack.push_async_callback(workbench.finish_drafts)
        await workbench.take_break_rules()
        if log_dir is not None:
            await _keep_log(log_dir, variables, workbench, stack)
        for notice in notices_of_opening(store):
            workbench.notify(notice)
        if watch:
            upkeep = Upkeep(root, workbench, store, engine, settings, definitions, variables)
            await stack.enter_async_context(upkeep.going_on())
        elif load:
            await definitions.refresh()
            await definitions.reveal_withheld()
            if not read_only:
                follow = partial(follow_wishes, store, engine)
                await stack.enter_async_context(background(workbench.notify, follow_wishes=follow))
        yield workbench


def _services(
    store: Store,
    hosts: dict[Language, ToolHost],
    models: Models,
    variables: Variables,
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
        variables=variables,
        catalog=Catalog(hosts),
        approvals=Approvals(),
        bus=bus,
        clock=clock,
        folders=Folders(folder),
    )


def _keyring(project_id: ProjectId, stack: AsyncExitStack) -> SecretVault:
    keyring = KeyringVault(project_id)
    stack.push_async_callback(keyring.close)
    return keyring


def _account_file(person: Path, passing: Path, read_only: bool) -> Path:
    """The person's own store; a look makes none."""
    file = person / "account.db"
    return passing / file.name if read_only and not file.exists() else file


async def _keep_log(folder: Path, variables: Variables, workbench: Workbench, stack: AsyncExitStack) -> None:
    def masked(line: str) -> str:
        return variables.masker.mask(line)  # asked for each line: it changes with the secrets

    try:
        await asyncio.to_thread(stack.enter_context, logging_to(folder, mask=masked))
    except OSError as error:
        workbench.notify(Notice("info", f"No log can be kept in {folder}: {error.strerror}.", key="no-log"))


async def _data_folder(root: Path, stack: AsyncExitStack, *, passing: bool) -> Path:
    """The project's own folder, or one that goes away with the stack."""
    if passing:
        return Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="workbench-")))
    return await asyncio.to_thread(make_data_dir, root)


async def _close_hosts(hosts: dict[Language, ToolHost]) -> None:
    for host in hosts.values():
        await host.close()
