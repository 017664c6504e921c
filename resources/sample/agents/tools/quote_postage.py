"""Nested arguments, a union with a tag, a list, and a value that may be null."""

import json
from typing import Literal

from desk.parcels import Box, Size, Tube
from pydantic import BaseModel, Field

from workbench.authoring import ThreadState, ToolResult, define_tool, prompt

ZONES = {"domestic": 100, "continent": 180, "world": 310}
ENVELOPES = {"C6": 95, "C5": 160, "C4": 250}


class Service(BaseModel, extra="forbid"):
    zone: Literal["domestic", "continent", "world"] = "domestic"
    express: bool = False


class Args(BaseModel, extra="forbid"):
    size: Size = Field(description="What is sent; the fields depend on its shape")
    weight_g: int = Field(gt=0, le=30_000, description="Weight in grams, packaging included")
    service: Service = Field(default_factory=Service)
    insured_cents: int | None = Field(
        default=None, ge=0, description="Declared value in cents; null or left out sends it uninsured"
    )
    extras: list[Literal["signature", "pickup", "fragile"]] = Field(default=[], max_length=3)


def billed_grams(size: Size, weight_g: int) -> int:
    """Carriers bill bulky things as if each litre weighed 200 g."""
    if isinstance(size, Box):
        litres = size.length_cm * size.width_cm * size.height_cm / 1000
    elif isinstance(size, Tube):
        litres = size.length_cm * size.diameter_cm**2 / 1000
    else:
        return weight_g
    return max(weight_g, round(litres * 200))


async def execute(state: ThreadState, args: Args) -> ToolResult:
    grams = billed_grams(args.size, args.weight_g)
    base = 390 + grams // 10 if args.size.shape != "envelope" else ENVELOPES[args.size.format]
    lines = {"postage": base * ZONES[args.service.zone] // 100}
    if args.service.express:
        lines["express"] = lines["postage"] // 2
    if args.insured_cents:
        lines["insurance"] = max(100, args.insured_cents // 50)
    lines.update(dict.fromkeys(args.extras, 150))
    quote = {"billedGrams": grams, "lines": lines, "totalCents": sum(lines.values())}
    return ToolResult.success(json.dumps(quote))


tool = define_tool(
    description=prompt("""
        Price one parcel, tube or envelope. Gives JSON with the billed weight in grams, every line of the price and
        the total, in cents. Nothing is stored: use it before register_parcel, as often as you like.
    """),
    args=Args,
    execute=execute,
    effect="read",
)
