"""What every stage of a call may use: the ports and the engine's own parts, in one frozen bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.base.clock import Clock
from workbench.domain.definitions import Language
from workbench.engine.approvals import Approvals
from workbench.engine.attachment_names import AttachmentNames
from workbench.engine.bus import Bus
from workbench.engine.catalog import Catalog
from workbench.engine.folders import Folders
from workbench.engine.ports import CodeRunner, ModelPort, ScriptRunner, Store, ToolHost
from workbench.engine.variables import Variables


@dataclass(frozen=True, slots=True)
class Services:
    """One project's parts; what is open for writing among them belongs to the engine's loop."""

    store: Store
    hosts: Mapping[Language, ToolHost]
    models: ModelPort
    recorded_models: ModelPort
    """What answers in a replay of recorded answers (T22)."""
    variables: Variables
    catalog: Catalog
    approvals: Approvals
    bus: Bus
    clock: Clock
    folders: Folders
    code: CodeRunner | None = None
    """Runs what tools hand over as code (X1)."""
    scripts: ScriptRunner | None = None
    """Runs script tools (C14); without one they cannot be called."""
    attachment_names: AttachmentNames = field(default_factory=AttachmentNames)
