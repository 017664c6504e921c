"""Where in a form a person has been: what a field merely lacks is held against nobody who was not there yet."""

from __future__ import annotations

from workbench.forms.node import Node
from workbench.forms.problems import Problem, ProblemKind
from workbench.forms.union_node import UnionNode


class Visits:
    """Fields by the ids of their nodes."""

    def __init__(self) -> None:
        self._visited = set[int]()
        self._fresh = set[int]()
        """Fields of a branch that was picked just now: nothing is said about them yet."""
        self._picks = dict[int, int | None]()

    def note(self, *node_ids: int) -> None:
        """The person was in these fields: what they lack may be said."""
        self._visited.update(node_ids)
        self._fresh.difference_update(node_ids)

    def note_picks(self, root: Node) -> None:
        """A branch picked just now begins afresh, also where the person has been before."""
        for node in root.walk():
            if not isinstance(node, UnionNode):
                continue
            if self._picks.get(node.id, node.picked) != node.picked:
                below = {each.id for each in node.walk()}
                self._visited -= below
                self._fresh |= below
            self._picks[node.id] = node.picked

    def note_edits(self, *node_ids: int) -> None:
        """These fields were edited: they are not merely begun any more."""
        self._fresh.difference_update(node_ids)

    def settle(self) -> None:
        """What is in the form was put there whole: nothing of it is merely begun."""
        self._fresh.clear()

    def begin_anew(self) -> None:
        """The form is as if nobody had been in it."""
        self._visited.clear()
        self._fresh.clear()

    def may_say(self, problem: Problem, node_id: int) -> bool:
        """Whether a problem is said at a field: what is merely not filled in yet, once the person has been there."""
        if node_id in self._fresh:
            return False
        return problem.kind is not ProblemKind.REQUIRED or node_id in self._visited
