"""A request that cannot be asked at all: the same again would be refused again, so that it is not tried again."""

from __future__ import annotations

from workbench.domain.model_answers import ModelFailure, ModelFailureKind
from workbench.engine.ports import ModelError


def rejected(message: str, hint: str = "") -> ModelError:
    """The error to raise."""
    return ModelError(ModelFailure(kind=ModelFailureKind.REJECTED, message=message, hint=hint))
