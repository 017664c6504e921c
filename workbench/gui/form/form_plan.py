"""Which rows a form shows: a page of each long list, a table where its items are flat, what is nested one step in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from workbench.forms import ChoiceNode, Form, Kind, ListNode, Node, ObjectNode, State, UnionNode
from workbench.forms.reading import Absent

PAGE = 50
"""Items or keys that are shown at once."""
_FIELDS_PAGE = 500
MOST_COLUMNS = 5
_FLAT = {Kind.TEXT, Kind.NUMBER, Kind.BOOLEAN, Kind.CHOICE}


class Role(Enum):
    """What a row is for."""

    FIELD = "field"
    HEADS = "heads"
    """The names over the columns of a table."""
    ITEM = "item"
    """An item of a list with all its fields side by side."""
    FOOT = "foot"
    """Under a list or map: adds to it and turns its pages."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One row. Plans with equal keys are shown by the same widget."""

    key: str
    node: Node
    depth: int
    role: Role


class Pages:
    """Which part of each long list is shown, and how many columns a table of items may have."""

    def __init__(self) -> None:
        self._first: dict[int, int] = {}
        self.most_columns = MOST_COLUMNS

    def size(self, node: Node) -> int:
        return _FIELDS_PAGE if node.kind is Kind.GROUP else PAGE

    def span(self, node: Node) -> range:
        """The places of the children that are shown."""
        count = len(node.children)
        size = self.size(node)
        first = min(self._first.get(node.id, 0), max(count - 1, 0) // size * size)
        return range(first, min(first + size, count))

    def is_paged(self, node: Node) -> bool:
        return len(node.children) > self.size(node)

    def turn(self, node: Node, by: int) -> None:
        """Show another page, `by` pages further or back."""
        size = self.size(node)
        last = max(len(node.children) - 1, 0) // size * size
        self._first[node.id] = min(max(self.span(node).start + by * size, 0), last)

    def show(self, node: Node) -> bool:
        """Turn to the pages that a field is on; whether any was turned."""
        turned = False
        for above, below in zip(lineage := node.lineage(), lineage[1:], strict=False):
            if self.is_paged(above) and below in above.children:
                at = above.children.index(below)
                if at not in self.span(above):
                    self._first[above.id] = at // self.size(above) * self.size(above)
                    turned = True
        return turned


def is_entry(node: Node) -> bool:
    """Whether the person wrote the field's key."""
    return isinstance(node.parent, ObjectNode) and node in node.parent.entries


def is_undecided(node: UnionNode) -> bool:
    """Whether no branch was chosen, and none is meant where nothing is: there are no fields to show yet."""
    has_default = not isinstance(node.shape.default, Absent)
    return node.state is State.NOT_SET and not has_default and node.parent is not None


def plan(form: Form, pages: Pages) -> Iterator[Planned]:
    """The rows from top to bottom."""
    root = form.root
    if root.kind in (Kind.GROUP, Kind.MAP):
        yield from _below(root, 0, pages, is_root=True)
    else:
        yield from _row_and_below(root, 0, pages)


def columns(node: Node, pages: Pages, span: range) -> tuple[str, ...]:
    """The names of the fields that the shown items of a list all have, if they are few and flat; else nothing."""
    if not isinstance(node, ListNode) or not span:
        return ()
    items = node.items[span.start : span.stop]
    first = items[0]
    names = tuple(member.name for member in first.shape.members)
    flat = 0 < len(names) <= pages.most_columns and all(
        isinstance(item, ObjectNode) and item.kind is Kind.GROUP and _is_flat(item, names) for item in items
    )
    return names if flat else ()


def _is_flat(item: ObjectNode, names: Sequence[str]) -> bool:
    fields = item.children
    return tuple(field.key for field in fields) == names and all(
        field.kind in _FLAT and not getattr(field, "multiline", False) for field in fields
    )


def _row_and_below(node: Node, depth: int, pages: Pages) -> Iterator[Planned]:
    several = getattr(node, "multiline", False)
    # Whoever renames a key is in its field: that row stays.
    name = "" if is_entry(node) else node.label
    yield Planned(f"{node.id} {node.kind} {depth} {several} {name}", node, depth, Role.FIELD)
    yield from _below(node, depth + 1, pages)


def _below(node: Node, depth: int, pages: Pages, *, is_root: bool = False) -> Iterator[Planned]:
    if node.kind is Kind.JSON:
        return
    if isinstance(node, UnionNode):
        if is_undecided(node):
            return
        branch = node.branch
        if branch is not None and branch.kind in (Kind.GROUP, Kind.MAP):
            yield from _below(branch, depth, pages, is_root=True)
        elif branch is not None:
            yield from _row_and_below(branch, depth, pages)
        return
    span = pages.span(node)
    if names := columns(node, pages, span):
        depth -= 1  # a table stands under its label, without a rail
        yield Planned(f"{node.id} {depth} heads {names}", node, depth, Role.HEADS)
        for item in node.children[span.start : span.stop]:
            kinds = " ".join(field.kind for field in item.children)
            yield Planned(f"{item.id} {depth} {kinds} {item.label}", item, depth, Role.ITEM)
    else:
        for child in node.children[span.start : span.stop]:
            if not _goes_without_saying(child):
                yield from _row_and_below(child, depth, pages)
    if _has_foot(node, pages, is_root=is_root):
        yield Planned(f"{node.id} {depth} foot", node, depth, Role.FOOT)


def _goes_without_saying(node: Node) -> bool:
    """The constant that tells the branches of a union apart is set by picking one."""
    branch = node.parent
    return (
        branch is not None
        and isinstance(branch.parent, UnionNode)
        and branch.key is None
        and isinstance(node, ChoiceNode)
        and len(node.shape.choices) == 1
    )


def _has_foot(node: Node, pages: Pages, *, is_root: bool) -> bool:
    """An empty list or map has its link in its own row, unless it has no row."""
    if pages.is_paged(node):
        return True
    if isinstance(node, ListNode):
        return bool(node.children) and node.takes_more
    if not isinstance(node, ObjectNode):
        return False
    if node.kind is Kind.MAP:
        return bool(node.children) or is_root
    return node.is_unfolded and (node.shape.offers_keys or bool(node.entries))
