"""What an action changed, so that views can refresh just that."""

from __future__ import annotations

from workbench.base.ids import CallId, ThreadId
from workbench.domain.value import Value


class Changes(Value):
    """What changed. Mutations return it, and the project's watchers publish it."""

    definitions: frozenset[str] = frozenset()
    """Names of definitions that were added, changed or removed."""
    diagnostics: bool = False
    variables: bool = False
    calls: frozenset[CallId] = frozenset()
    threads: frozenset[ThreadId] = frozenset()
    settings: bool = False
    files: frozenset[str] = frozenset()
    """Files of the project that came, changed or went on disk, relative to it."""
    questions: bool = False
    """Whether a model that is a person is waited for, or not any more."""
    connections: frozenset[str] = frozenset()
    """Names of connections that stand otherwise, or of which there is more to see."""
    history: bool = False
    """Anything in the store may have changed: another process wrote it."""
    pads: bool = False
    """Code pads were made, named, saved or deleted."""
