"""A field for a file: its bytes as base64 text, with the name and type that are known of it."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.exact_json import JsonValue
from workbench.forms.fields import TextNode
from workbench.forms.files import PickedFile, size_of, sniffed
from workbench.forms.object_node import ObjectNode
from workbench.forms.reading import State

_NAME_KEYS = ("name", "fileName", "filename", "file_name")
_TYPE_KEYS = ("mimeType", "mime_type", "mediaType", "media_type", "contentType", "content_type")


class FileNode(TextNode):
    """`text` is the base64 text. `file_name` and `media_type` are "" where nothing is known of them."""

    file_name = ""
    media_type = ""

    @property
    def multiline(self) -> bool:
        return False

    @property
    def size(self) -> int:
        """How many bytes the text stands for."""
        return len(self.text) * 3 // 4 - self.text.count("=", -2)

    def set_file(self, file: PickedFile) -> None:
        """Hold a file that was read. Fields beside this one for its name and its type take them if not set."""
        with self.tree.batch():
            self.set_text(file.base64)
            if not file.base64:
                self.set_state(State.EMPTY)
            self.file_name, self.media_type = file.name, file.media_type
            if isinstance(self.parent, ObjectNode):
                for keys, text in ((_NAME_KEYS, file.name), (_TYPE_KEYS, file.media_type)):
                    _fill(self.parent, keys, text)

    def _load(self, value: JsonValue) -> bool:
        if not isinstance(value, str) or size_of(value) is None or not super()._load(value):
            return False
        self.file_name, self.media_type = "", sniffed(value)
        return True

    def _reset(self) -> None:
        super()._reset()
        self.file_name = self.media_type = ""

    def _draft(self) -> dict[str, object]:
        if not self.text:
            return {}
        return {"text": self.text, "fileName": self.file_name, "mediaType": self.media_type}

    def _restore(self, draft: Mapping[str, object]) -> None:
        self._restore_text(str(draft.get("text", "")))
        self.file_name = str(draft.get("fileName", ""))
        self.media_type = str(draft.get("mediaType", ""))

    def _restore_text(self, text: str) -> bool:
        fits = size_of(text) is not None
        self.text = text if fits else ""
        if not fits:
            self.json_text = None
        return fits


def _fill(group: ObjectNode, keys: tuple[str, ...], text: str) -> None:
    for node in group.fields:
        if node.key in keys and type(node) is TextNode and node.state_by_itself() is State.NOT_SET:
            node.set_text(text)
            return
