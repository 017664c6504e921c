"""How a model is reached: its address and its key, which is the value of a variable (V1)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from pydantic import SecretStr

from workbench.domain.model_answers import ModelFailure, ModelFailureKind
from workbench.domain.models import ModelDefinition
from workbench.engine.ports import ModelAccess, ModelError

Lookup = Callable[[str], Awaitable[str | None]]
"""Gives a variable's value by its name, or None."""


async def reach(model: ModelDefinition, lookup: Lookup) -> ModelAccess:
    """The access to a model. Raises ModelError when the variable of its key has no value."""
    if model.key_variable is None:
        return ModelAccess(base_url=model.base_url)
    key = await lookup(model.key_variable)
    if not key:
        raise ModelError(
            ModelFailure(
                kind=ModelFailureKind.AUTH,
                message=f"The model {model.name} needs the variable {model.key_variable}, which has no value.",
                hint=f"Set it under Variables, or with `workbench var set {model.key_variable}`.",
            )
        )
    return ModelAccess(api_key=SecretStr(key), base_url=model.base_url)
