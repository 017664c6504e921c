"""Under which names the tools of connections are called: their own, but for a clash (H6)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from workbench.domain.agents import LIFECYCLE_TOOLS, AgentDefinition
from workbench.domain.definitions import DefinitionKind
from workbench.engine.catalog.entries import Entry

_NO_PART_OF_A_NAME = re.compile(r"[^A-Za-z0-9_-]+")


def named_apart(entries: Mapping[str, Entry]) -> Mapping[str, Entry]:
    """The entries by path; a connection's tool whose name another callable has is `<connection>__<tool>`.

    What the project itself defines keeps its name, whatever servers list.
    """
    foreign = [entry for entry in entries.values() if entry.file.connection is not None]
    if not foreign:
        return entries
    own = {entry.name for entry in entries.values() if entry.file.connection is None and _is_callable(entry)}
    times = Counter(entry.file.name for entry in foreign)
    taken = own | LIFECYCLE_TOOLS | {name for name, count in times.items() if count > 1}
    renamed = {entry.file.path: _renamed(entry) for entry in foreign if entry.file.name in taken}
    return {**entries, **renamed}


def _is_callable(entry: Entry) -> bool:
    if entry.file.package is not None:
        return False
    if entry.file.kind is DefinitionKind.AGENT:
        return isinstance(entry.definition, AgentDefinition) and entry.definition.expose_as_tool
    return entry.file.kind in (DefinitionKind.TOOL, DefinitionKind.PROMPT)


def _renamed(entry: Entry) -> Entry:
    connection = _NO_PART_OF_A_NAME.sub("_", entry.file.connection or "")
    name = f"{connection}__{entry.file.name}"
    definition = entry.definition and entry.definition.model_copy(update={"name": name})
    return replace(entry, name=name, definition=definition)
