"""The ways in which a result can be looked at: which of them fit it, and what each of them reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from workbench.app.results.json_outline import Outline
from workbench.app.results.tables import is_table, sniff
from workbench.base.exact_json import JsonError, dump, parse
from workbench.domain.calls import AttachmentRef, ToolResult

_PROVED = 262_144
"""Characters up to which a text that may be JSON is read to see whether it is."""
_LOOKED = 20_000
_MARKDOWN = re.compile(
    r"^(?:#{1,6} \S|[-*+] \[[ xX]\] |```|\|.+\|\s*$\n\|[ :|-]+\|)|\]\(https?://|\*\*\S[^*\n]*\*\*",
    re.MULTILINE,
)


class Face(Enum):
    """A way to look at a result."""

    TEXT = "Text"
    JSON = "JSON"
    TABLE = "Table"
    MARKDOWN = "Markdown"
    IMAGE = "Image"
    RAW = "Raw"


@dataclass(frozen=True, slots=True)
class Faces:
    """The faces of one result, the one to begin with first. `json_text` is "" when it holds no JSON.

    `text` is what is read (JSON laid out while it is short), `raw` is exactly what came.
    """

    fitting: tuple[Face, ...]
    text: str
    json_text: str
    raw: str
    delimiter: str | None = None
    images: tuple[AttachmentRef, ...] = ()

    def choose(self, wanted: str | None) -> Face:
        """The face of this name if it fits, else the first."""
        return next((face for face in self.fitting if face.value == wanted), self.fitting[0])


def faces_of(result: ToolResult) -> Faces:
    """What fits a result."""
    json_text, text = _json_of(result), result.text
    if json_text and text.strip() in ("", json_text):
        text = _laid_out(json_text)
    delimiter = sniff(text) if not json_text else None
    images = tuple(
        ref for ref in result.attachments if ref.mime_type.startswith("image/") and "svg" not in ref.mime_type
    )
    fitting: list[Face] = []
    if json_text and _holds_rows(json_text):
        fitting.append(Face.TABLE)
    if json_text:
        fitting.append(Face.JSON)
    if delimiter:
        fitting.append(Face.TABLE)
    if not json_text and _MARKDOWN.search(text[:_LOOKED]):
        fitting.append(Face.MARKDOWN)
    if images and not text:
        fitting.append(Face.IMAGE)
    fitting.append(Face.TEXT)
    if images and text:
        fitting.append(Face.IMAGE)
    raw = _raw(result, json_text)
    if raw != text:
        fitting.append(Face.RAW)
    return Faces(tuple(fitting), text, json_text, raw, delimiter, images)


def _json_of(result: ToolResult) -> str:
    if result.json_text is not None:
        return result.json_text
    if result.structured_content is not None:
        return dump(result.structured_content)
    text = result.text.strip(" \t\r\n")
    if not (text.startswith(("{", "[")) and text.endswith(("}", "]"))):
        return ""
    if len(text) <= _PROVED:
        try:
            parse(text)
        except JsonError:
            return ""
    return text


def _holds_rows(json_text: str) -> bool:
    try:
        return is_table(Outline(json_text))
    except JsonError:
        return False


def _raw(result: ToolResult, json_text: str) -> str:
    """Exactly what came: the JSON as returned, the blocks of an envelope, or the text."""
    if result.content:
        return dump(_plain(result.content), indent=2)
    return json_text or result.text


def _laid_out(json_text: str) -> str:
    if len(json_text) > _PROVED:
        return json_text
    try:
        return dump(parse(json_text), indent=2)
    except JsonError:
        return json_text


def _plain(content: Sequence[object]) -> list[object]:
    return list(content)
