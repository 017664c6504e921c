"""`state.context` on the engine's side: what the code of one run leaves for each other, as JSON text by key (T7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

Context = dict[str, str]
"""Kept in memory only, and gone with the run. It may hold secrets: nothing of it is stored or told."""


def update(context: Context, params: Mapping[str, object]) -> None:
    """Take over what a call has set and removed."""
    context.update(cast(Mapping[str, str], params["set"]))
    for key in cast(list[str], params["removed"]):
        context.pop(key, None)
