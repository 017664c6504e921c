"""The desk's book of parcels: what a parcel is, and how the book is kept in one durable value."""

from __future__ import annotations

import difflib
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter

BOOK = "parcels"
"""The key of the value that holds the book."""


class Box(BaseModel, extra="forbid"):
    shape: Literal["box"] = "box"
    length_cm: float = Field(gt=0, le=200)
    width_cm: float = Field(gt=0, le=200)
    height_cm: float = Field(gt=0, le=200)


class Tube(BaseModel, extra="forbid"):
    shape: Literal["tube"] = "tube"
    length_cm: float = Field(gt=0, le=200)
    diameter_cm: float = Field(gt=0, le=60)


class Envelope(BaseModel, extra="forbid"):
    shape: Literal["envelope"] = "envelope"
    format: Literal["C6", "C5", "C4"] = Field(description="C6 holds a postcard, C4 an unfolded A4 sheet")


# The tag `shape` tells the branches apart, so an error names the branch that was meant.
Size = Annotated[Box | Tube | Envelope, Field(discriminator="shape")]


class Parcel(BaseModel):
    code: str
    name: str
    city: str
    weight_g: int
    refunded_cents: int = 0


class Book:
    """All parcels by code, in the order they came in."""

    def __init__(self, parcels: dict[str, Parcel]) -> None:
        self.parcels = parcels

    @classmethod
    def load(cls, value: Any) -> Book:
        """From what `state.get_value(BOOK)` gave; None is an empty book."""
        return cls(TypeAdapter(dict[str, Parcel]).validate_python(value or {}))

    def dump(self) -> dict[str, Any]:
        """As plain JSON data, for `state.set_value(BOOK, ...)`."""
        return {code: parcel.model_dump(mode="json") for code, parcel in self.parcels.items()}

    def add(self, prefix: str, name: str, city: str, weight_g: int) -> Parcel:
        parcel = Parcel(code=f"{prefix}-{len(self.parcels) + 1:04}", name=name, city=city, weight_g=weight_g)
        self.parcels[parcel.code] = parcel
        return parcel

    def missing(self, code: str) -> str:
        """Words for a code that is not in the book: what was looked for, what is near, what to do."""
        if not self.parcels:
            return f"No parcel {code}: the book is empty. Register one with register_parcel first."
        near = difflib.get_close_matches(code.upper(), self.parcels, n=3, cutoff=0.6)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"The last one is {list(self.parcels)[-1]}."
        return f"No parcel {code} among {len(self.parcels)}. {hint}"
