"""What is worth saying about a schema, as data."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.domain.definitions import Severity


@dataclass(frozen=True, slots=True)
class SchemaNote:
    """One remark. `code` is stable, `pointer` is the JSON Pointer of the part in the schema."""

    code: str
    severity: Severity
    pointer: str
    message: str
    hint: str = ""
