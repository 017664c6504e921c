"""What will happen to a call beside its arguments: who is asked, which secrets are put in, which limits hold."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from workbench.app.inputs.break_rules import rule_words
from workbench.base.exact_json import JsonError, JsonObject, dump, parse_object
from workbench.base.masker import marked_names
from workbench.domain.tools import ToolDefinition
from workbench.domain.value import Value
from workbench.engine.approvals import BreakRule


class Asks(StrEnum):
    """Whether a call waits for a yes."""

    NO = "no"
    YES = "yes"
    TOOL_DECIDES = "tool decides"
    """The tool's own rule looks at the input when it runs; nobody knows before."""
    INPUT_DECIDES = "input decides"
    """A rule looks at an argument that cannot be read yet, or that a secret is put into when it runs."""


class Applying(Value):
    """The rules that apply to a run from the form, as far as they are known before it (C4, C12, C13, V6)."""

    asks: Asks
    rule: str = ""
    """The person's rule that asks or may ask, in words; "" where it is the tool itself."""
    uses: tuple[str, ...] | None = None
    """What it may call; None is any tool."""
    marks: tuple[str, ...] = ()
    """Names of secrets whose marks stand in the input; their values are put in when it runs."""


def applying(definition: ToolDefinition, arguments: str | None, rules: Sequence[BreakRule]) -> Applying:
    """What applies to running a tool with `arguments` (JSON text, None while they cannot be sent)."""
    asks, rule = _who_asks(definition, arguments, rules)
    marks = tuple(sorted(marked_names(arguments or "")))
    return Applying(asks=asks, rule=rule, uses=definition.uses, marks=marks)


def _who_asks(
    definition: ToolDefinition, arguments: str | None, rules: Sequence[BreakRule]
) -> tuple[Asks, str]:
    mine = [rule for rule in rules if rule.tool in (None, definition.name)]
    # A rule that looks at no argument holds whatever the input will be.
    always = next((rule for rule in mine if rule.argument is None), None)
    if always is not None:
        return Asks.YES, rule_words(always)
    if definition.needs_approval is True:
        return Asks.YES, ""
    if mine:
        try:
            value = parse_object(arguments or "")
        except JsonError:
            return Asks.INPUT_DECIDES, rule_words(mine[0])
        unknown = [rule for rule in mine if _looks_at_a_secret(rule, value)]
        for rule in mine:
            if rule not in unknown and rule.matches(definition.name, value):
                return Asks.YES, rule_words(rule)
        if unknown:
            return Asks.INPUT_DECIDES, rule_words(unknown[0])
    return (Asks.TOOL_DECIDES, "") if definition.needs_approval == "predicate" else (Asks.NO, "")


def _looks_at_a_secret(rule: BreakRule, arguments: JsonObject) -> bool:
    """Whether what the rule's pattern is looked for in is another text when the call runs."""
    seen = arguments.get(rule.argument or "")
    return rule.pattern is not None and seen is not None and bool(marked_names(dump(seen)))
