"""The arguments of a tool as a flat list to read: path, type, required, default, description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workbench.base.exact_json import dump
from workbench.forms.analysis import Shapes
from workbench.forms.parts import Part
from workbench.forms.reading import Absent
from workbench.forms.shapes import Kind, Shape
from workbench.schema import compile_schema

_MOST_LINES = 500
_DEEPEST = 7


@dataclass(frozen=True, slots=True)
class ArgumentLine:
    """One argument. `path` is written `amount.value`, `items[].sku`, `labels.*`; branches of a union are listed
    under its path with their label in parentheses. `default` is JSON text, "" without one."""

    path: str
    type: str
    required: bool
    default: str
    description: str
    depth: int


def outline(schema: Mapping[str, object] | None) -> tuple[ArgumentLine, ...]:
    """Every argument that the schema names, as far as a person can follow: recursion stops where it begins."""
    if schema is None:
        return ()
    shapes = Shapes(compile_schema(schema))
    found: list[ArgumentLine] = []
    for line in _Reader(shapes).below(shapes.root(), "", 0, ()):
        if len(found) == _MOST_LINES:
            break
        found.append(line)
    return tuple(found)


class _Reader:
    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes

    def below(self, shape: Shape, path: str, depth: int, above: tuple[object, ...]) -> Iterator[ArgumentLine]:
        """The lines under a shape; `above` are the parts that it stands in."""
        key = shape.part.located[-1:]
        if depth > _DEEPEST or key in above:
            return
        above = (*above, key)
        for member in shape.members:
            name = f"{path}.{member.name}" if path else member.name
            yield from self._line(member.part, name, depth, above, required=member.required)
        if shape.kind is Kind.MAP:
            yield from self._line(self._shapes.entry(shape, ""), f"{path}.*" if path else "*", depth, above)
        for place, part in enumerate(shape.prefix):
            yield from self._line(part, f"{path}[{place}]", depth, above)
        if shape.items is not None:
            inner = self._shapes.of(shape.items)
            if inner.kind in (Kind.GROUP, Kind.MAP, Kind.UNION, Kind.LIST):
                yield from self.below(inner, f"{path}[]", depth, above)
        for branch in shape.branches:
            inner = self._shapes.of(branch.part)
            said = "" if inner.description == shape.description else inner.description
            yield ArgumentLine(f"{path} ({branch.label})", inner.words, False, "", said, depth)
            yield from self.below(inner, path, depth + 1, above)

    def _line(
        self, part: Part, path: str, depth: int, above: tuple[object, ...], *, required: bool = False
    ) -> Iterator[ArgumentLine]:
        shape = self._shapes.of(part)
        yield _as_line(shape, path, depth, required=required)
        yield from self.below(shape, path, depth + 1, above)


def _as_line(shape: Shape, path: str, depth: int, *, required: bool) -> ArgumentLine:
    default = "" if isinstance(shape.default, Absent) else dump(shape.default)
    return ArgumentLine(path, shape.words, required, default, shape.description, depth)
