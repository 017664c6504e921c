"""The fields without fields below them: text, number, boolean and choice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from workbench.base.errors import UsageError
from workbench.base.exact_json import JsonError, JsonValue, dump, parse
from workbench.forms.node import Node
from workbench.forms.reading import (
    ABSENT,
    Absent,
    Reading,
    State,
    as_draft,
    is_typeable,
    json_key,
    read_integer,
    read_number,
)


class TextNode(Node):
    """A text. An empty text is sent only when it is asked for: `set_state(State.EMPTY)`."""

    empty: ClassVar[JsonValue | Absent] = ""
    text: str = ""
    _wants_lines = False

    @property
    def multiline(self) -> bool:
        """Whether the control must take several lines: the schema or the person says so, or the text has them."""
        return self.shape.multiline or self._wants_lines or "\n" in self.text

    def ask_for_lines(self) -> None:
        """The person wants to write several lines."""
        self._wants_lines = True
        self.tree.touched(self, structure=True)

    def set_text(self, text: str) -> None:
        """What was typed, character by character. Clearing it makes the field not set."""
        had_lines = self.multiline
        self.text = text
        self._mode = State.VALUE if text else State.NOT_SET
        self._edited(structure=self.multiline != had_lines)

    def _read(self) -> Reading:
        return self.text or ABSENT

    def _load(self, value: JsonValue) -> bool:
        if not isinstance(value, str) or not is_typeable(value):
            return False
        self.text = value
        self._mode = State.VALUE if value else State.EMPTY
        return True

    def _reset(self) -> None:
        self.text = ""

    def _draft(self) -> dict[str, object]:
        return {"text": self.text} if self.text else {}

    def _restore(self, draft: Mapping[str, object]) -> None:
        self._restore_text(str(draft.get("text", "")))

    def _restore_text(self, text: str) -> bool:
        self.text = text
        return True


class NumberNode(TextNode):
    """A number, exact at any size and kept as typed; what is no number yet is kept too and blocks sending."""

    empty: ClassVar[JsonValue | Absent] = ABSENT

    @property
    def multiline(self) -> bool:
        return False

    def _read(self) -> Reading:
        return self.read_once(self.text, read_integer if self.shape.integer else read_number)

    def _load(self, value: JsonValue) -> bool:
        if isinstance(value, bool | str | list | dict | None):
            return False
        self.text = dump(value)
        return True


class ChoiceNode(Node):
    """One of `shape.choices`, or none: also a boolean, which is a choice of true and false."""

    chosen: int | None = None

    def state_by_itself(self) -> State:
        state = super().state_by_itself()
        return State.VALUE if state is State.EMPTY else state

    def choose(self, index: int | None) -> None:
        """Take the member at `index` of `shape.choices`, or none."""
        if index is not None and not 0 <= index < len(self.shape.choices):
            raise UsageError(f"There is no choice {index} among {len(self.shape.choices)}.")
        self.chosen = index
        self._mode = State.NOT_SET if index is None else State.VALUE
        self._edited()

    def set_state(self, state: State) -> None:
        """As for every field; null is its own member where the schema lists it."""
        null = self._index(None)
        if state is State.NULL and null is not None:
            self.choose(null)
        else:
            super().set_state(state)

    def begin_as_chosen(self) -> None:
        if len(self.shape.choices) == 1:
            self.chosen = 0
            self._mode = State.VALUE

    def _index(self, value: JsonValue) -> int | None:
        key = json_key(value)
        return next((at for at, each in enumerate(self.shape.choices) if json_key(each.value) == key), None)

    def _read(self) -> Reading:
        return ABSENT if self.chosen is None else as_draft(self.shape.choices[self.chosen].value)

    def _load(self, value: JsonValue) -> bool:
        index = self._index(value)
        # 1.0 is no other value than 1, but other digits: they would be lost.
        if index is None or dump(self.shape.choices[index].value) != dump(value):
            return False
        self.chosen = index
        self._mode = State.VALUE
        return True

    def _reset(self) -> None:
        self.chosen = None

    def _draft(self) -> dict[str, object]:
        if self.chosen is None:
            return {}
        value = self.shape.choices[self.chosen].value
        return {"value": dump(value), "text": value if isinstance(value, str) else dump(value)}

    def _restore(self, draft: Mapping[str, object]) -> None:
        try:
            self.chosen = self._index(parse(str(draft.get("value", ""))))
        except JsonError:
            self.chosen = None

    def _restore_text(self, text: str) -> bool:
        labels = [each.label for each in self.shape.choices]
        self.chosen = labels.index(text) if text in labels else None
        return self.chosen is not None
