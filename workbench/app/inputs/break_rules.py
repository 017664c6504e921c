"""A person's rules for what asks before it runs, kept with the project (C12)."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from pydantic import ValidationError

from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, dump, parse
from workbench.base.whole_files import write_whole
from workbench.engine.approvals import BreakRule

_FILE = "break-rules.json"
_VERSION = 1


class BreakRules:
    """The file of the rules. A project without one has none."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / _FILE

    def read(self) -> tuple[BreakRule, ...]:
        """The rules as they are kept.

        Raises UserError when there are some and they cannot be read: nobody may take that for none.
        """
        try:
            file = parse(self.path.read_bytes())
            if not isinstance(file, dict) or file.get("version") != _VERSION:
                raise ValueError("it is not a list of rules of this version")
            return tuple(BreakRule.model_validate(row) for row in cast("list[object]", file["rules"]))
        except FileNotFoundError:
            return ()
        except (OSError, JsonError, ValueError, KeyError, TypeError) as error:
            raise UserError(
                "The rules for what asks before it runs cannot be read, so every call asks.",
                hint=f"Mend {self.path}, or delete it and make the rules again.",
                detail=str(error),
            ) from error

    def write(self, rules: tuple[BreakRule, ...]) -> None:
        """Keep these in the place of those before. Raises OSError."""
        rows = [rule.model_dump(mode="json", exclude_none=True) for rule in rules]
        write_whole(self.path, dump({"version": _VERSION, "rules": rows}, indent=2).encode())


def break_rule(tool: str = "", argument: str = "", pattern: str = "") -> BreakRule:
    """A rule from what a person filled in; empty means any. Raises UserError for what cannot work."""
    if pattern and not argument:
        raise UserError("A pattern needs the argument that it is looked for in.")
    try:
        return BreakRule(tool=tool or None, argument=argument or None, pattern=pattern or None)
    except ValidationError as error:
        raise UserError(
            f"{pattern} is not a regular expression.", hint="Such as ^prod- or @example\\.com$."
        ) from error


def rule_words(rule: BreakRule) -> str:
    """The rule as a person reads it, completing "Ask before running …"."""
    what = rule.tool or "any tool"
    if rule.argument is None:
        return what
    if rule.pattern is None:
        return f"{what} when {rule.argument} is given"
    return f"{what} when {rule.argument} matches {rule.pattern}"
