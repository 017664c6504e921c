"""The base of every value: frozen, exact in its fields, spelled in camelCase outside Python."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Value(BaseModel):
    """A frozen value. `to_json()` gives its camelCase form as plain JSON data."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        hide_input_in_errors=True,  # it may be a secret, and a traceback of ours must not quote one (V6)
    )

    def to_json(self) -> dict[str, object]:
        """The value as plain JSON data with camelCase names."""
        return self.model_dump(mode="json", by_alias=True)
