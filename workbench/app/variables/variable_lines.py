"""The table of variables: one line a name over all scopes, what it resolves to, who uses it, what is missing."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.base.masker import too_short
from workbench.domain.definitions import VariableSpec
from workbench.domain.listing import Listing
from workbench.domain.value import Value
from workbench.domain.variables import Place, Scope, VariableType
from workbench.engine.variables import Layers, Variables


class VariableLine(Value):
    """One line. `value` is given for text only; a secret shows by `is_set` and its `place`.

    `used_by` are names of definitions; `overrides` the lower scopes that hold a value, too.
    """

    name: str
    type: VariableType
    description: str = ""
    is_set: bool = False
    value: str | None = None
    scope: Scope | None = None
    place: Place | None = None
    is_default: bool = False
    overrides: tuple[Scope, ...] = ()
    used_by: tuple[str, ...] = ()
    required_by: tuple[str, ...] = ()
    too_short: bool = False
    """A secret that cannot be masked (V6)."""

    @property
    def missing(self) -> bool:
        """Required by somebody, and without a value."""
        return bool(self.required_by) and not self.is_set


async def variable_lines(
    variables: Variables, listings: Iterable[Listing], layers: Layers
) -> tuple[VariableLine, ...]:
    """Every declared or set name: missing ones first, then by name."""
    specs: dict[str, list[tuple[str, VariableSpec]]] = {}
    for listing in listings:
        for spec in listing.definition.variables if listing.definition else ():
            specs.setdefault(spec.name, []).append((listing.name, spec))
    names = {row.name for row in variables.rows()} | specs.keys()
    lines = [await _line(variables, name, specs.get(name, []), layers) for name in names]
    return tuple(sorted(lines, key=lambda line: (not line.missing, line.name)))


async def _line(
    variables: Variables, name: str, declared: list[tuple[str, VariableSpec]], layers: Layers
) -> VariableLine:
    spec = _strictest([spec for _, spec in declared])
    found = await variables.resolve(name, layers, spec)
    is_text = found.type is VariableType.TEXT
    return VariableLine(
        name=name,
        type=found.type,
        description=spec.description if spec else "",
        is_set=found.value is not None,
        value=found.value if is_text else None,
        scope=found.scope,
        place=found.place,
        is_default=found.is_default,
        overrides=found.overrides,
        used_by=tuple(sorted(tool for tool, _ in declared)),
        required_by=tuple(sorted(tool for tool, spec in declared if spec.required)),
        too_short=not is_text and found.value is not None and too_short(found.value),
    )


def _strictest(specs: list[VariableSpec]) -> VariableSpec | None:
    """Where definitions disagree, a secret stays secret."""
    return min(specs, key=lambda spec: (spec.type is VariableType.TEXT, not spec.required), default=None)
