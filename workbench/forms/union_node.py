"""A field that is one of several: each branch keeps what was typed in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from workbench.base.errors import UsageError
from workbench.base.exact_json import JsonValue
from workbench.forms.node import Node, Tree
from workbench.forms.object_node import ObjectNode
from workbench.forms.reading import ABSENT, Absent, Reading, State, fits_types
from workbench.forms.shapes import Branch, Shape


class UnionNode(Node):
    """The branches are `shape.branches`; `picked` is the index of the one in use, `branch` its field.

    The branch's field has the path of the union itself. A required union shows its first branch, and any
    other the branch of its default, without being set by that.
    """

    def __init__(
        self, tree: Tree, parent: Node | None, key: str | int | None, shape: Shape, *, required: bool
    ) -> None:
        super().__init__(tree, parent, key, shape, required=required)
        self._branches: dict[int, Node] = {}
        self.picked: int | None = None
        if not (isinstance(shape.default, Absent) or shape.default is None):
            self.picked = self._best(shape.default)
        elif required:
            self.picked = 0
        if self.picked is not None:
            branch = self._branch(self.picked)
            if isinstance(branch, ObjectNode) and tree.unfolds_by_itself(branch):
                branch.unfold()

    @property
    def branch(self) -> Node | None:
        """The field of the picked branch."""
        return None if self.picked is None else self._branch(self.picked)

    @property
    def children(self) -> tuple[Node, ...]:
        branch = None if self._hides() else self.branch
        return (branch,) if branch is not None else ()

    @property
    def kept(self) -> tuple[Node, ...]:
        return tuple(self._branches.values())

    def _child(self, token: str) -> Node | None:
        return self.branch.child(token) if self.branch is not None else None

    def state_by_itself(self) -> State:
        if self._mode is State.VALUE and self.json_text is None and self.branch is not None:
            return self.branch.state_by_itself()
        return super().state_by_itself()

    def holds(self, child: Node) -> bool:
        return child is self.branch and super().holds(child)

    def begin_as_root(self) -> None:
        """The first branch is shown, but not set: that is for a person to say."""

    def pick(self, index: int) -> None:
        """Use the branch at `index`; what was typed in it before is there again."""
        if not 0 <= index < len(self.shape.branches):
            raise UsageError(f"There is no branch {index} among {len(self.shape.branches)}.")
        with self.tree.batch():
            self.picked = index
            self._mode = State.VALUE
            self._branch(index).begin_as_chosen()
            self._edited(structure=True)

    def include(self, child: Node) -> None:
        if child is self.branch:
            super().include(child)

    def _begin(self) -> None:
        if self.branch is not None:
            self.branch.begin_as_chosen()

    def _branch(self, index: int) -> Node:
        if index not in self._branches:
            self._branches[index] = self.tree.make(self, None, self.shape.branches[index].part, required=True)
        return self._branches[index]

    def _read(self) -> Reading:
        return ABSENT if self.branch is None else self.branch.read()

    def _load(self, value: JsonValue) -> bool:
        index = self._best(value) if value is not None else None
        if index is None:
            return False
        self.picked = index
        self._branch(index).take(value)
        return True

    def _best(self, value: JsonValue) -> int | None:
        """The branch that `value` is valid for, else the one it comes nearest to; the picked one if it ties."""
        ranked = [
            (self._errors(branch, value), index != self.picked, index)
            for index, branch in enumerate(self.shape.branches)
            if not branch.type or fits_types(value, [branch.type])
        ]
        return min(ranked)[2] if ranked else None

    def _errors(self, branch: Branch, value: JsonValue) -> int:
        return len(self.tree.validation.at(branch.pointer, value)) if branch.pointer else 0

    def _reset(self) -> None:
        for node in self._branches.values():
            node.take(ABSENT)

    def _draft(self) -> dict[str, object]:
        found: dict[str, object] = {
            "branches": {
                self.shape.branches[index].label: node.draft() for index, node in self._branches.items()
            }
        }
        if self.picked is not None:
            found["picked"] = self.shape.branches[self.picked].label
        return found

    def _restore(self, draft: Mapping[str, object]) -> None:
        labels = [branch.label for branch in self.shape.branches]
        drafts = draft.get("branches")
        for label, each in cast(
            "Mapping[str, object]", drafts if isinstance(drafts, Mapping) else {}
        ).items():
            if label in labels and isinstance(each, Mapping):
                self._branch(labels.index(label)).restore(cast("Mapping[str, object]", each))
        picked = draft.get("picked")
        if picked in labels:
            self.picked = labels.index(str(picked))
