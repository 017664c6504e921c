"""Packages: definitions that came from elsewhere and keep to themselves (D9)."""

from __future__ import annotations

from typing import Literal

from workbench.domain.value import Value


class Package(Value):
    """A package of definitions. `name` is `name` or `@scope/name`; only `entry_agents` are seen from outside.

    `path` is its folder, relative to the project where it lies inside; `origin` says how it came there: copied into
    `agents/packed`, or installed for Python or for Node.
    """

    name: str
    path: str
    entry_agents: tuple[str, ...] = ()
    origin: Literal["packed", "python", "node"] = "packed"
