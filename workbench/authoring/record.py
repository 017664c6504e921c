"""What code gets of the records of a thread: mappings with the wire's names that read as attributes, too."""

from __future__ import annotations

from typing import Any


class Record(dict[str, Any]):
    """A record of the thread (a message, a file): a mapping with the wire's names, read as attributes, too.

    `record["toolCallId"]`, `record.toolCallId` and `record.tool_call_id` are the same, to write as well; what is absent
    is None.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(self._key(name))

    def __setattr__(self, name: str, value: Any) -> None:
        self[self._key(name)] = value

    def _key(self, name: str) -> str:
        if name in self:
            return name
        first, *rest = name.split("_")
        return first + "".join(word.capitalize() for word in rest)
