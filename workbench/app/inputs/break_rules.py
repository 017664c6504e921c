"""A person's rules for what asks before it runs, kept with the project (C12)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from workbench.app.notice_board import NoticeBoard
from workbench.app.notices import Notice
from workbench.base.errors import UserError
from workbench.base.exact_json import JsonError, dump, parse
from workbench.base.whole_files import write_whole
from workbench.domain.changes import Changes
from workbench.engine.approvals import BreakRule
from workbench.engine.services import Services

_FILE = "break-rules.json"
_VERSION = 1


class BreakRules:
    """The rules in force, and their file; a project without one has none. Belongs to an open project's loop."""

    def __init__(self, folder: Path, services: Services, notices: NoticeBoard) -> None:
        self._path = folder / _FILE
        self._services = services
        self._notices = notices

    @property
    def rules(self) -> tuple[BreakRule, ...]:
        """Those in force."""
        return self._services.approvals.rules

    async def set(self, rules: tuple[BreakRule, ...]) -> None:
        """Put these in the place of those in force, now and whenever the project is opened.

        Raises UserError when they cannot be kept; then those before stay in force.
        """
        try:
            await asyncio.to_thread(self._write, rules)
        except OSError as error:
            raise UserError(
                f"The rules cannot be kept: {error.strerror}.", hint="Nothing was changed."
            ) from error
        self._services.approvals.rules = rules
        self._services.bus.changed(Changes(settings=True))

    async def take_kept(self) -> None:
        """Put those that are kept in force; when they cannot be read, every call asks."""
        try:
            self._services.approvals.rules = await asyncio.to_thread(self._read)
        except UserError as error:
            self._services.approvals.rules = (BreakRule(),)
            self._notices.post(Notice("warning", error.message, error.hint, error.detail, key="break-rules"))

    def _read(self) -> tuple[BreakRule, ...]:
        """The rules as they are kept.

        Raises UserError when there are some and they cannot be read: nobody may take that for none.
        """
        try:
            file = parse(self._path.read_bytes())
            if not isinstance(file, dict) or file.get("version") != _VERSION:
                raise ValueError("it is not a list of rules of this version")
            return tuple(BreakRule.model_validate(row) for row in cast("list[object]", file["rules"]))
        except FileNotFoundError:
            return ()
        except (OSError, JsonError, ValueError, KeyError, TypeError) as error:
            raise UserError(
                "The rules for what asks before it runs cannot be read, so every call asks.",
                hint=f"Mend {self._path}, or delete it and make the rules again.",
                detail=str(error),
            ) from error

    def _write(self, rules: tuple[BreakRule, ...]) -> None:
        rows = [rule.model_dump(mode="json", exclude_none=True) for rule in rules]
        write_whole(self._path, dump({"version": _VERSION, "rules": rows}, indent=2).encode())


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
