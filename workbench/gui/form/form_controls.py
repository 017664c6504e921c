"""The controls of a form's fields: each shows one node of the form's model and hands on what a person does to it."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.base.errors import BugError
from workbench.forms import ChoiceNode, FileNode, Kind, ListNode, Node, ObjectNode, State, TextNode, UnionNode
from workbench.gui.controls.segments import Segments
from workbench.gui.form.form_choices import MOST_IN_BOX, ChoiceControl, LongChoiceControl, chosen_index
from workbench.gui.form.form_file import FileControl
from workbench.gui.form.form_heads import HeadControl
from workbench.gui.form.form_texts import LinesControl, TextControl
from workbench.gui.style import paint, theme

_MOST_SEGMENTS = 4
_WIDEST_SEGMENTS = 360


class SegmentsControl(Segments):
    """A few choices side by side: a boolean, or the branches of a union."""

    def __init__(self, node: ChoiceNode | UnionNode, words: Sequence[str], *, mono: bool) -> None:
        super().__init__(list(words), mono=mono, name=node.label)
        self._node = node
        self.chosen.connect(node.choose if isinstance(node, ChoiceNode) else node.pick)

    def refresh(self, *, faulty: bool) -> None:
        ghost = isinstance(self._node, UnionNode) and self._node.state is State.NOT_SET
        self.set_current(chosen_index(self._node), ghost=ghost)


Control = (
    TextControl
    | LinesControl
    | SegmentsControl
    | ChoiceControl
    | LongChoiceControl
    | FileControl
    | HeadControl
)


def make_control(node: Node) -> Control:
    """The control for what the node is now."""
    if node.kind is Kind.JSON:
        return LinesControl(node)
    if isinstance(node, FileNode):
        return FileControl(node)
    if isinstance(node, TextNode):
        return LinesControl(node) if node.multiline else TextControl(node)
    if isinstance(node, ChoiceNode):
        words = [choice.label for choice in node.shape.choices]
        if node.kind is Kind.BOOLEAN or len(words) == 1:
            return SegmentsControl(node, words, mono=True)
        return _choice(node, words)
    if isinstance(node, UnionNode):
        words = [branch.label for branch in node.shape.branches]
        width = sum(paint.advance(word, theme.body(600)) + 24 for word in words)
        if len(words) <= _MOST_SEGMENTS and width <= _WIDEST_SEGMENTS:
            return SegmentsControl(node, words, mono=False)
        return _choice(node, words)
    if isinstance(node, ListNode | ObjectNode):
        return HeadControl(node)
    raise BugError(f"There is no control for {node.kind}.")


def make_cell(node: Node) -> Control:
    """The control for one cell of a table: as narrow as it gets."""
    if isinstance(node, TextNode):
        return TextControl(node, flat=True)
    if isinstance(node, ChoiceNode):
        return _choice(node, [choice.label for choice in node.shape.choices], flat=True)
    raise BugError(f"There is no cell for {node.kind}.")


def _choice(
    node: ChoiceNode | UnionNode, words: Sequence[str], *, flat: bool = False
) -> ChoiceControl | LongChoiceControl:
    many = len(words) > MOST_IN_BOX
    return LongChoiceControl(node, words, flat=flat) if many else ChoiceControl(node, words, flat=flat)
