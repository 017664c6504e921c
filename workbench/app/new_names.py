"""Which names a new definition may have: those that discovery takes, that nothing else means, that a model can call."""

from __future__ import annotations

import builtins
import keyword
import re
from pathlib import PurePosixPath

from workbench.base.errors import UserError
from workbench.domain.agents import LIFECYCLE_TOOLS
from workbench.domain.definitions import LONGEST_CALLABLE_NAME, DefinitionKind, Dialect
from workbench.project.layout import NAME_PATTERNS, NAME_RULES, is_definition_name

_PART = NAME_PATTERNS[Dialect.STANDARD_AGENTS].pattern
_PATTERNS = {
    DefinitionKind.MODEL: re.compile(r"[a-z][a-z0-9_-]*"),
    DefinitionKind.EFFECT: re.compile(f"{_PART}(/{_PART})*"),
}
_EXAMPLES = {
    DefinitionKind.TOOL: "fetch_order",
    DefinitionKind.MODEL: "fast-writer",
    DefinitionKind.EFFECT: "mail/digest",
}
_CALLABLE = {DefinitionKind.TOOL, DefinitionKind.PROMPT, DefinitionKind.AGENT}
_IMPORTED = re.compile("prompt|define_[a-z]+")


def check_new_name(
    kind: DefinitionKind, name: str, suffix: str, dialect: Dialect = Dialect.STANDARD_AGENTS
) -> None:
    """Raise UserError for a name that a file with this suffix would not work under (D1, D2)."""
    pattern = _PATTERNS.get(kind, NAME_PATTERNS[dialect])
    article = "a tool" if kind is DefinitionKind.TOOL else f"a new {kind}"
    if not pattern.fullmatch(name):
        raise UserError(
            f"{name!r} is not a name for {article}.",
            hint=f"Use {NAME_RULES[dialect]}: {_nearest(kind, name, pattern)}.",
        )
    if kind in _CALLABLE and name in LIFECYCLE_TOOLS:
        raise UserError(f"{name!r} is built in, for subagents.", hint="Choose another name.")
    if kind in _CALLABLE and len(name) > LONGEST_CALLABLE_NAME:
        raise UserError(
            f"The name has {len(name)} characters; model providers take {LONGEST_CALLABLE_NAME}.",
            hint="Choose a shorter one.",
        )
    if not is_definition_name(PurePosixPath(name + suffix).name):
        raise UserError(
            f"{name!r} is not a name for {article}: a file of this name counts as a test.",
            hint="Let it begin with another word.",
        )


def identifier(name: str) -> str:
    """The name for a variable or a function of a new file, where Python and the file's imports leave it free."""
    taken = keyword.iskeyword(name) or hasattr(builtins, name) or _IMPORTED.fullmatch(name)
    return f"{name}_" if taken else name


def _nearest(kind: DefinitionKind, name: str, pattern: re.Pattern[str]) -> str:
    near = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return near if pattern.fullmatch(near) else _EXAMPLES.get(kind, "front_desk")
