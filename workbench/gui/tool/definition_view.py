"""A tool as its author and a model see it: what is wrong, description, arguments, variables, schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from workbench.app import VariableLine
from workbench.app.definitions.sheets import sheet_of
from workbench.base.exact_json import dump
from workbench.domain.definitions import Diagnostic, Severity
from workbench.domain.listing import AnyDefinition, Listing
from workbench.domain.tools import ToolDefinition
from workbench.forms.outline import ArgumentLine, outline
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.layout import Ground, line_of
from workbench.gui.controls.sections import Stack, copy, divided, fact, prose, quiet, title
from workbench.gui.controls.texts import Grammar
from workbench.gui.controls.words import Words
from workbench.gui.results.text_box import TextBox
from workbench.gui.style import amounts, theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import DOCUMENT_GUTTER, ROW
from workbench.gui.tool.arguments_table import ArgumentsTable
from workbench.gui.variables.variables_model import origin_of


class DefinitionView(Stack):
    """The first page of a tool document."""

    went_to = Signal(object)
    """A `Diagnostic` whose line should be shown."""
    asked_variable = Signal(str)

    def __init__(self) -> None:
        super().__init__(Ground.BASE)

    def show_listing(self, listing: Listing, variables: Sequence[VariableLine]) -> None:
        definition = listing.tool
        sections: list[list[QWidget | int]] = []
        if listing.diagnostics:
            sections.append(self._diagnostics(listing.diagnostics))
        if definition is not None:
            sections += self._definition(definition, variables)
        elif listing.definition is not None:
            sections += _sheet(listing.definition)
            if listing.definition.variables:
                sections.append(self._variables(variables))
        elif not listing.diagnostics:
            sections.append(
                [6, fact("", "This file gave no definition.", role="ink2", gutter=DOCUMENT_GUTTER)]
            )
        self.show_pieces(6, *divided(*sections), 12)

    def _definition(
        self, definition: ToolDefinition, variables: Sequence[VariableLine]
    ) -> list[list[QWidget | int]]:
        arguments = outline(definition.input_schema)
        sections: list[list[QWidget | int]] = [
            [
                title("Description", gutter=DOCUMENT_GUTTER),
                prose(definition.description, gutter=DOCUMENT_GUTTER),
                4,
            ],
            self._arguments(arguments),
        ]
        if definition.variables:
            sections.append(self._variables(variables))
        sections.append(self._facts(definition))
        for name, schema in (
            ("JSON Schema of the arguments", definition.input_schema),
            ("JSON Schema of the result", definition.output_schema),
        ):
            if schema is not None:
                sections.append(_schema(name, schema))
        return sections

    def _diagnostics(self, diagnostics: Sequence[Diagnostic]) -> list[QWidget | int]:
        pieces: list[QWidget | int] = [title("What is wrong", gutter=DOCUMENT_GUTTER)]
        for item in diagnostics:
            mark = Mark.FAILED if item.severity is Severity.ERROR else Mark.WARNING
            role = "err" if item.severity is Severity.ERROR else "warn"
            message = Words(item.message, role, mark=mark)
            code = Words(item.code, "ink2", theme.small())
            parts: list[QWidget | int | None] = [message, code]
            if item.line:
                link = Button(f"Go to line {item.line}", Kind.LINK)
                link.clicked.connect(lambda _=False, item=item: self.went_to.emit(item))
                parts.append(link)
            pieces.append(
                line_of(*parts, None, margins=(DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0), gap=12, height=ROW)
            )
            if item.hint:
                pieces.append(prose(item.hint, role="ink2", indent=18, gutter=DOCUMENT_GUTTER))
        return pieces

    def _arguments(self, arguments: Sequence[ArgumentLine]) -> list[QWidget | int]:
        if not arguments:
            none = fact("", "This tool takes no arguments.", role="ink2", gutter=DOCUMENT_GUTTER)
            return [title("Arguments", gutter=DOCUMENT_GUTTER), none]
        count = Words(str(len(arguments)), "ink2", theme.small())
        return [title("Arguments", count, gutter=DOCUMENT_GUTTER), ArgumentsTable(arguments)]

    def _variables(self, variables: Sequence[VariableLine]) -> list[QWidget | int]:
        pieces: list[QWidget | int] = [title("Variables", gutter=DOCUMENT_GUTTER)]
        for line in variables:
            origin, place = origin_of(line)
            where = f"{origin}, {place}" if place else origin
            mark = Mark.MISSING if line.missing else Mark.VALUE if line.is_set else Mark.UNSET
            name = Words(line.name, font=theme.data(), width=200)
            state = Words(where, "warn" if line.missing else "ink", mark=mark)
            change = Button("Set value" if not line.is_set else "Change", Kind.LINK)
            change.clicked.connect(lambda _=False, name=line.name: self.asked_variable.emit(name))
            about = Words(line.description, "ink2")
            margins = (DOCUMENT_GUTTER, 0, DOCUMENT_GUTTER, 0)
            pieces.append(line_of(name, state, change, about, None, margins=margins, gap=12, height=ROW))
        return pieces

    def _facts(self, definition: ToolDefinition) -> list[QWidget | int]:
        uses = definition.uses
        reach = "any tool" if uses is None else ", ".join(uses) or "none"
        asks = {True: "always asks", False: "does not ask", "predicate": "the tool decides when it runs"}
        approval = asks[definition.needs_approval]
        pieces: list[QWidget | int] = [
            title("How it runs", gutter=DOCUMENT_GUTTER),
            fact(
                "File", f"{definition.file.path}, line {definition.line}", mono=True, gutter=DOCUMENT_GUTTER
            ),
            fact("May call", reach, gutter=DOCUMENT_GUTTER, mono=bool(uses)),
            fact("Approval", approval, gutter=DOCUMENT_GUTTER),
        ]
        if definition.progress_argument:
            pieces.append(
                fact("Progress from", definition.progress_argument, mono=True, gutter=DOCUMENT_GUTTER)
            )
        if definition.annotations:
            text = dump(dict(definition.annotations))
            pieces.append(fact("Annotations", text, mono=True, gutter=DOCUMENT_GUTTER))
        return pieces


def _sheet(definition: AnyDefinition) -> list[list[QWidget | int]]:
    """What is no tool: its sections as they are told everywhere."""
    sections: list[list[QWidget | int]] = []
    for section in sheet_of(definition):
        if section.schema is not None:
            sections.append(_schema(section.title, section.schema))
            continue
        facts = [
            fact(one.label, one.text, mono=bool(one.refers), gutter=DOCUMENT_GUTTER) for one in section.facts
        ]
        text = [prose(section.text, gutter=DOCUMENT_GUTTER), 4] if section.text else []
        sections.append([title(section.title, gutter=DOCUMENT_GUTTER), *text, *facts])
    where = f"{definition.file.path}, line {definition.line}"
    sections.append([fact("File", where, mono=True, gutter=DOCUMENT_GUTTER)])
    return sections


def _schema(name: str, schema: Mapping[str, object]) -> list[QWidget | int]:
    text = dump(dict(schema), indent=2)
    button = quiet("Copy", "copy")
    button.setAccessibleName(f"Copy {name}")
    button.clicked.connect(lambda: copy(text))
    size = Words(amounts.size(len(text.encode())), "ink2", theme.small())
    box = TextBox(text, Grammar.JSON, name=name, most_lines=400, gutter=DOCUMENT_GUTTER, ground=Ground.BASE)
    return [title(name, size, button, gutter=DOCUMENT_GUTTER), box]
