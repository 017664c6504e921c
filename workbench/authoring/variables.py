"""Variables that a definition declares: what it needs from whoever runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Variable:
    """One declared variable. A `scoped` one is never inherited from a parent thread (V2)."""

    name: str
    type: Literal["text", "secret"] = "secret"
    required: bool = True
    scoped: bool = False
    description: str = ""
