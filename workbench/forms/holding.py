"""What lists and objects share: how an item without a value reads, and what a draft holds of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from workbench.forms.node import Node
from workbench.forms.reading import Absent, Draft, Unread


def filled(node: Node) -> Draft:
    """What an item or a key's value reads as, where leaving it out is not possible without a trace."""
    reading = node.read()
    if not isinstance(reading, Absent):
        return reading
    what = "the item" if isinstance(node.key, int) else "the key"
    return Unread(node.id, "", "has no value", f"Write a value, or remove {what}.")


def mapping(value: object) -> Mapping[str, object]:
    """The mapping that a draft holds; an empty one for anything else."""
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def mappings(value: object) -> list[Mapping[str, object]]:
    """The mappings in a list that a draft holds; [] for anything else."""
    if not isinstance(value, list):
        return []
    return [
        cast("Mapping[str, object]", each)
        for each in cast("list[object]", value)
        if isinstance(each, Mapping)
    ]
