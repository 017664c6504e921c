"""The composition root: the one place where the engine's ports and their adapters are joined."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from workbench.app.definitions import Definitions
from workbench.app.project_settings import ProjectSettings
from workbench.app.workbench import ProjectInfo, Workbench
from workbench.base.clock import Clock, SystemClock
from workbench.base.paths import user_data_dir
from workbench.domain.definitions import Language
from workbench.engine.approvals import Approvals
from workbench.engine.bus import Bus
from workbench.engine.catalog import Catalog
from workbench.engine.engine import Engine
from workbench.engine.ports import SecretVault, ToolHost
from workbench.engine.services import Services
from workbench.engine.variables import Variables
from workbench.hosts.python_host import PythonHost
from workbench.project.folder import find_project, make_data_dir, project_slug
from workbench.secrets.vault import KeyringVault
from workbench.store import open_account_store, open_store


@asynccontextmanager
async def open_workbench(
    project: Path,
    *,
    read_only: bool = False,
    watch: bool = False,
    data_dir: Path | None = None,
    vault: SecretVault | None = None,
    clock: Clock | None = None,
) -> AsyncIterator[Workbench]:
    """Open a project and load its definitions; leaving the block stops its calls and closes it.

    `read_only` makes nothing in the project: calls and values then live in a folder that goes when it closes
    (H5). `watch` reloads what changes on disk. `data_dir` is the person's own folder, `vault` the place of
    secrets; both default to the machine's. Raises UserError when the project cannot be opened.
    """
    clock = clock or SystemClock()
    root = find_project(project)
    async with AsyncExitStack() as stack:
        folder = (
            Path(stack.enter_context(tempfile.TemporaryDirectory())) if read_only else make_data_dir(root)
        )
        store = await stack.enter_async_context(open_store(folder / "threads.db", clock))
        accounts = await stack.enter_async_context(
            open_account_store((data_dir or user_data_dir()) / "account.db")
        )
        vault = vault or await stack.enter_async_context(KeyringVault(store.project_id))
        settings = await ProjectSettings.read(root)
        bus = Bus()
        variables = Variables(store, accounts, vault, bus)
        await variables.load()
        hosts: dict[Language, ToolHost] = {Language.PYTHON: PythonHost(settings.interpreter.path, root)}
        catalog = Catalog(hosts)
        services = Services(
            store=store,
            hosts=hosts,
            variables=variables,
            catalog=catalog,
            approvals=Approvals(),
            bus=bus,
            clock=clock,
            data_dir=folder,
        )
        for host in hosts.values():
            stack.push_async_callback(host.close)
        engine = Engine(services)
        stack.push_async_callback(engine.close)
        definitions = Definitions(root, catalog, hosts, bus)
        info = ProjectInfo(
            name=settings.name,
            root=root,
            slug=project_slug(root, settings.name),
            interpreter=settings.interpreter.path,
            interpreter_origin=settings.interpreter.origin,
            writable=not read_only,
        )
        workbench = Workbench(info, engine, definitions, vault, lambda: settings.diagnostics)
        yield workbench
