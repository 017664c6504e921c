"""Connections as the navigator lists them: by name, with how they stand."""

from __future__ import annotations

from workbench.domain.connections import ConnectionStatus
from workbench.gui.connections.connection_lists import MARKS, WORDS
from workbench.gui.navigator.navigator_entries import CONNECTION, Entry


def connection_entry(status: ConnectionStatus) -> Entry:
    """One row."""
    return Entry(
        key=CONNECTION + status.name,
        name=status.name,
        icon="mcp",
        description=status.message or status.target,
        is_document=True,
        count=status.tools or None,
        mark=MARKS[status.state],
        state=WORDS[status.state],
        missing=status.missing,
    )
