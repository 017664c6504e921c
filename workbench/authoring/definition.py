"""What all `define_…` calls share: a definition is what its author wrote, kept as written, with its line.

Nothing is judged here but the names of the fields: the engine reads a definition and says what is wrong with it.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from workbench.authoring.errors import DefinitionError

NOT_GIVEN: Any = object()


class Definition:
    """A definition as written: `fields` holds just the fields that were given, `line` is where the call stands."""

    kind = ""

    def __init__(self, fields: dict[str, Any], path: str, line: int) -> None:
        self.fields = fields
        self.path = path
        self.line = line

    @property
    def execute(self) -> Callable[..., Any] | None:
        return self.fields.get("execute")

    def __repr__(self) -> str:
        return f"<{self.kind} defined in {self.path}, line {self.line}>"


class CodeDefinition(Definition):
    """A definition of code. Its `define_…` call can decorate the function."""

    def __call__(self, *args: Any) -> Any:
        """Before there is an `execute`: take it (the decorator form). After: call it, as the function itself."""
        execute = self.execute
        if execute is not None:
            return execute(*args)
        if len(args) != 1 or not callable(args[0]):
            raise DefinitionError(f"@define_{self.kind}(…) decorates one function, which becomes execute.")
        self.fields["execute"] = args[0]
        return self


_Kind = TypeVar("_Kind", bound=Definition)


def made(
    kind: type[_Kind],
    given: dict[str, Any],
    *,
    say_instead: Mapping[str, str] | None = None,
    older: Collection[str] = (),
) -> _Kind:
    """The definition from the `locals()` of its `define_…` function.

    `say_instead` has words for wrong names that are often written; fields of `older` systems pass, so that the
    engine can say what took their place. Raises DefinitionError.
    """
    name = f"define_{kind.kind}"
    positional, unknown = given.pop("positional"), given.pop("unknown")
    if positional:
        raise DefinitionError(f"{name} takes named fields only: {name}(name=value, …).")
    wrong = [field for field in unknown if field not in older]
    if wrong:
        raise DefinitionError(unknown_field(name, wrong[0], given, say_instead or {}))
    path, line = _where()
    fields = {field: value for field, value in given.items() if value is not NOT_GIVEN}
    return kind({**fields, **unknown}, path, line)


def unknown_field(function: str, field: str, known: Collection[str], say_instead: Mapping[str, str]) -> str:
    """What is said of a name that a `define_…` function, or a setting, does not know."""
    message = f"{function} has no field {field!r}"
    if field in say_instead:
        return f"{message}: {say_instead[field]}."
    snake_case = re.sub(r"(?<!^)(?=[A-Z])", "_", field).lower()
    near = difflib.get_close_matches(snake_case, list(known), 1, 0.6)
    return f"{message}. Did you mean {near[0]!r}?" if near else f"{message}."


def _where() -> tuple[str, int]:
    """The file and line, at module level, of the code that defines: a helper in between does not count."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno) if frame else ("", 0)
