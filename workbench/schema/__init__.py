"""JSON Schema: checking values exactly, filling defaults, saying what is odd about a schema."""

from workbench.schema.compiled import CompiledSchema, check_text, compile_schema
from workbench.schema.defaults import Defaults, fill_defaults
from workbench.schema.diagnose import diagnose, progress_notes
from workbench.schema.notes import SchemaNote
from workbench.schema.references import resolve, resolve_ref
from workbench.schema.repair import clean_schema

__all__ = [
    "CompiledSchema",
    "Defaults",
    "SchemaNote",
    "check_text",
    "clean_schema",
    "compile_schema",
    "diagnose",
    "fill_defaults",
    "progress_notes",
    "resolve",
    "resolve_ref",
]
