"""The model that is asked in a replay of recorded answers: it costs nothing and needs no key (T22)."""

from __future__ import annotations

from workbench.domain.models import ModelDefinition, Provider


def recorded(model: ModelDefinition) -> ModelDefinition:
    """What answers in the place of a prompt's model."""
    name = f"recording of {model.name}"
    return model.model_copy(
        update={
            "name": name,
            "provider": Provider.SCRIPTED,
            "model": name,
            "base_url": None,
            "key_variable": None,
            "fallbacks": (),
            "input_price": None,
            "output_price": None,
            "cached_price": None,
        }
    )
