"""What an answer cost, by the prices that the model's definition names."""

from __future__ import annotations

from decimal import Decimal

from workbench.domain.model_answers import Answer, Usage
from workbench.domain.models import ModelDefinition

_MILLION = Decimal(1_000_000)


def priced(answer: Answer, model: ModelDefinition) -> Answer:
    """The answer with its cost; as it is where the definition names no prices, or the provider no usage."""
    if answer.usage is None or (cost := cost_of(answer.usage, model)) is None:
        return answer
    usage = answer.usage.model_copy(update={"cost": cost})
    return answer.model_copy(update={"usage": usage})


def cost_of(usage: Usage, model: ModelDefinition) -> Decimal | None:
    """In US dollars, or None when the definition names neither an input nor an output price."""
    if model.input_price is None and model.output_price is None:
        return None
    fresh = _price(model.input_price)
    cached = fresh if model.cached_price is None else _price(model.cached_price)
    total = (
        (usage.input_tokens - usage.cached_tokens) * fresh
        + usage.cached_tokens * cached
        + usage.output_tokens * _price(model.output_price)
    )
    return total / _MILLION


def _price(dollars: float | None) -> Decimal:
    """With the digits as written: 0.1 is a tenth."""
    return Decimal(str(dollars or 0))
