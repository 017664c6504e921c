"""A read whose result is promised: `effect="read"`, and an `output_schema` beside what `execute` returns."""

from typing import Any

from pydantic import BaseModel, Field

from workbench.authoring import define_tool

COURIERS = {"bike": (20_000, 450, 30, 0), "van": (400_000, 900, 12, 1), "truck": (8_000_000, 4_900, 2, 2)}
"""By name: the most he takes in grams, cents to come, cents for each started kilogram, days on the way."""


class Input(BaseModel, extra="forbid"):
    grams: int = Field(gt=0, le=8_000_000, description="Weight of everything that is to go, in grams")
    days: int = Field(default=2, ge=0, description="The most days it may be on the way")


class Rate(BaseModel):
    courier: str
    cents: int
    days: int


class Rates(BaseModel):
    rates: list[Rate] = Field(description="Cheapest first; empty when nobody takes it")


def execute(input: Input) -> dict[str, Any]:
    kilograms = -(-input.grams // 1000)
    fitting = [
        Rate(courier=name, cents=coming + each * kilograms, days=days)
        for name, (most, coming, each, days) in COURIERS.items()
        if input.grams <= most and days <= input.days
    ]
    return Rates(rates=sorted(fitting, key=lambda rate: rate.cents)).model_dump()


tool = define_tool(
    description="Compare what the couriers ask for a pickup. Gives those who take the weight in time, cheapest first.",
    input_schema=Input,
    output_schema=Rates,
    effect="read",
    execute=execute,
)
