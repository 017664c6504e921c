"""A message in its place in a conversation, and the turns that messages make."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.app.conversation.called import Called
from workbench.domain.threads import Message, Role


@dataclass(slots=True, eq=False)
class Said:
    """A message, or one that is being written (`coming`): its text grows, and so do its calls."""

    message: Message
    calls: list[Called] = field(default_factory=list[Called])
    inside: Called | None = None
    """The call whose sub-prompt said it."""
    coming: bool = False
    waiting: bool = False
    """It was sent, and its thread has not taken it up yet."""
    text: str = ""
    reasoning: str = ""
    trouble: str = ""
    """What went wrong with the attempt before, while it is asked again."""
    opened: set[str] = field(default_factory=set[str])
    """What of it is unfolded: `reasoning`, or `silent` for it and the silent ones behind it."""
    kept: dict[object, object] = field(default_factory=dict[object, object])
    """The rows that show it, by what they are."""

    @property
    def speaker(self) -> tuple[str | None, str, str | None]:
        """Messages of one speaker that follow each other stand under one head."""
        role = self.message.role
        kind = Role.ASSISTANT if role in (Role.ASSISTANT, Role.TOOL) else role
        return self.message.side, kind, self.message.prompt

    @property
    def is_silent(self) -> bool:
        return self.message.silent

    @property
    def at(self) -> int:
        return self.message.created_at


@dataclass(slots=True, eq=False)
class Turn:
    """Messages of one speaker in a row. `stale`: something else is to be shown of them now."""

    said: list[Said]
    stale: bool = True

    def goes_on_with(self, said: Said) -> bool:
        """Whether a message stands under the same head; silent ones stand wherever they come."""
        first = next((one for one in self.said if not one.is_silent), None)
        return first is None or said.is_silent or first.speaker == said.speaker
