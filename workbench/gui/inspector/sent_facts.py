"""What will apply to a run beside its arguments, as lines of the inspector; nothing is said that is not known yet."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from workbench.app import VariableLine
from workbench.app.calls.run_mode import as_of_words, dry_run_words
from workbench.app.inputs.applying import Applying, Asks
from workbench.domain.tools import ToolDefinition
from workbench.domain.variables import VariableType
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.sections import KEY_WIDTH, fact, title
from workbench.gui.controls.words import Words
from workbench.gui.session.run_mode import RunMode
from workbench.gui.style import theme
from workbench.gui.style.definition_icons import BADGES
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import PANEL_GUTTER, ROW
from workbench.gui.variables.variables_model import origin_of


def variable_facts(lines: Sequence[VariableLine | str], marks: Sequence[str]) -> list[QWidget | int]:
    """Where each variable comes from. A name alone is a mark in the input that no variable has."""
    pieces: list[QWidget | int] = [title("Variables")]
    pieces += [_variable(line, marked=_name(line) in marks) for line in lines]
    return pieces


def _name(line: VariableLine | str) -> str:
    return line if isinstance(line, str) else line.name


def _variable(line: VariableLine | str, *, marked: bool) -> QWidget:
    if isinstance(line, str):
        made = fact(
            line, "No such variable, its mark is sent as text", role="warn", mark=Mark.WARNING, key_mono=True
        )
        made.setToolTip(f"The input holds the mark of {line}, and no variable of this name has a value.")
        return made
    origin, place = origin_of(line)
    where = ", ".join(part for part in (place, origin.lower()) if part)
    about = f"{line.name}: {where}\n{line.description}".strip()
    if marked:
        about += "\nIts mark stands in the input; the value is put in when it runs."
        where += ", put into the input"
    if marked and not line.is_set:
        made = fact(
            line.name, "Not set, its mark is sent as text", role="warn", mark=Mark.WARNING, key_mono=True
        )
    elif not line.is_set and line.scope is not None:
        made = fact(
            line.name, "Set, but its keyring did not give it", role="warn", mark=Mark.WARNING, key_mono=True
        )
    elif line.missing:
        made = fact(line.name, "Missing, the call waits", role="warn", mark=Mark.MISSING, key_mono=True)
    elif not line.is_set:
        made = fact(line.name, "not set, optional", role="ink2", mark=Mark.UNSET, key_mono=True)
    elif line.type is VariableType.SECRET:
        made = fact(line.name, where, icon="lock", key_mono=True)
    else:
        made = _text_value(line.name, line.value or "empty text", where)
    made.setToolTip(about)
    return made


def _text_value(name: str, value: str, where: str) -> QWidget:
    """A value that may be shown, and where it comes from."""
    key = Words(name, "ink2", theme.data(), width=KEY_WIDTH)
    origin = Words(where, "ink2", theme.small())
    return line_of(
        key,
        Words(value, font=theme.data()),
        origin,
        None,
        margins=(PANEL_GUTTER, 0, PANEL_GUTTER, 0),
        gap=8,
        height=ROW,
    )


def rules(applies: Applying, change: QWidget, tool: ToolDefinition, mode: RunMode) -> list[QWidget | int]:
    """Who is asked, what it may call, and how long it may take, and what a dry run or an instant makes of it; `change`
    leads to a person's own rules."""
    pieces: list[QWidget | int] = [title("Rules", change), *_mode(tool, mode), *_approval(applies)]
    return [*pieces, fact("May call", _uses(applies.uses)), fact("Time limit", "none")]


def _approval(applies: Applying) -> list[QWidget]:
    rule = [fact("", applies.rule, role="ink2")] if applies.rule else []
    match applies.asks:
        case Asks.YES:
            words = "Asks, by your rule for" if applies.rule else "Asks, the tool says so"
            return [fact("Approval", words, icon="approval"), *rule]
        case Asks.TOOL_DECIDES:
            return [fact("Approval", "The tool decides when it runs", role="ink2", icon="approval")]
        case Asks.INPUT_DECIDES:
            words = "Depends on the input, by your rule for"
            return [fact("Approval", words, role="ink2", icon="approval"), *rule]
        case Asks.NO:
            return [fact("Approval", "not needed")]


def _mode(tool: ToolDefinition, mode: RunMode) -> list[QWidget]:
    lines: list[QWidget] = []
    if mode.dry_run:
        lines.append(fact("Dry run", dry_run_words(tool), icon=BADGES["stub"]))
    if mode.as_of is not None:
        lines.append(fact("As of", as_of_words(tool), icon="clock"))
    return lines


def _uses(uses: tuple[str, ...] | None) -> str:
    if uses is None:
        return "any tool"
    return ", ".join(uses) if uses else "no other tool"
