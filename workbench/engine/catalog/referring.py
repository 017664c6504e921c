"""References from one definition to another: what is wrong with a name that leads nowhere, and what to write."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from workbench.domain.agents import AgentDefinition
from workbench.domain.definitions import DefinitionKind, Diagnostic, Severity
from workbench.domain.listing import AnyDefinition
from workbench.domain.prompts import PromptDefinition
from workbench.domain.tools import ToolDefinition
from workbench.domain.variables import VariableType
from workbench.engine.catalog.directory import KIND_OF, CallableDefinition, Directory
from workbench.engine.catalog.fields import as_code, spelled
from workbench.engine.catalog.offers import call_schema, properties_of

Failed = Mapping[tuple[DefinitionKind, str | None, str], Diagnostic]
"""Why a file gave no definition, by its kind, package and name."""

CALLABLE_KINDS: tuple[type[AnyDefinition], ...] = (ToolDefinition, PromptDefinition, AgentDefinition)

_AN = {DefinitionKind.AGENT: "an agent", DefinitionKind.EFFECT: "an effect"}


class Reference(NamedTuple):
    """A name that one definition writes for another, and the field where it stands."""

    owner: AnyDefinition
    name: str
    where: str
    severity: Severity = Severity.ERROR
    """How bad it is when it leads nowhere."""


class Referring:
    """What is said of references. `source` gives the text of a file, to find the line of a name."""

    def __init__(self, directory: Directory, failed: Failed, source: Callable[[str], str]) -> None:
        self.directory = directory
        self._failed = failed
        self._source = source
        self.secrets = frozenset(
            spec.name for one in directory for spec in one.variables if spec.type is VariableType.SECRET
        )
        """The variables that some definition declares as secret."""

    def must_be(self, kind: type[AnyDefinition], reference: Reference) -> Iterator[Diagnostic]:
        """The finding, when no definition of this kind has the name."""
        if self.directory.find(kind, reference.name, reference.owner.package) is None:
            yield self.unknown(reference, kind)

    def not_callable(self, reference: Reference) -> Diagnostic:
        """No model could call what this name stands for."""
        owner, name, where, _ = reference
        hidden = self.directory.find(AgentDefinition, name, owner.package)
        if hidden is not None:
            return self.not_exposed(owner, hidden)
        for kind, word in KIND_OF.items():
            if kind not in CALLABLE_KINDS and self.directory.find(kind, name, owner.package):
                message = f"{where} names {name}, which is {_AN.get(word, f'a {word}')}."
                return self.problem(owner, "unknown-tool", message, "No model can call it.", at=name)
        return self.unknown(reference, *CALLABLE_KINDS)

    def not_exposed(self, owner: AnyDefinition, agent: AgentDefinition) -> Diagnostic:
        language = agent.file.language
        exposed = as_code("expose_as_tool=True", language)
        return self.problem(
            owner,
            "not-exposed",
            f"The agent {agent.name} is not exposed, so {owner.name} cannot call it.",
            f"Write {exposed} and {spelled('toolDescription', language)} in {agent.file.path}.",
            at=agent.name,
        )

    def unknown(self, reference: Reference, *kinds: type[AnyDefinition]) -> Diagnostic:
        """A name that leads nowhere: because its file failed, its package hides it, or it is written wrong."""
        owner, name, where, severity = reference
        word = "tool" if kinds == CALLABLE_KINDS else "".join(KIND_OF[kind] for kind in kinds)
        broken = self._why_broken(reference, kinds)
        if broken is not None:
            place = f"{broken.path}, line {broken.line}" if broken.line else broken.path
            message = f"{where} names the {word} {name}, which cannot be used: {place}: {broken.message}"
            return self.problem(owner, f"broken-{word}", message, broken.hint, severity=severity, at=name)
        hidden = next(filter(None, (self.directory.find_hidden(kind, name) for kind in kinds)), None)
        if hidden is not None:
            message = f"{where} names {name}, which the package {hidden.package} keeps to itself."
            hint = "Only the entry agents of a package are seen from outside."
            return self.problem(owner, "not-visible", message, hint, severity=severity, at=name)
        hint = self.directory.what_to_write(kinds, name, owner.package)
        message = f"{where} of the {owner.kind} {owner.name} names the {word} {name}, which is not there."
        return self.problem(owner, f"unknown-{word}", message, hint, severity=severity, at=name)

    def _why_broken(self, reference: Reference, kinds: Iterable[type[AnyDefinition]]) -> Diagnostic | None:
        spaces = dict.fromkeys((reference.owner.package, None))
        keys = ((KIND_OF[kind], space, reference.name) for kind in kinds for space in spaces)
        return next((self._failed[key] for key in keys if key in self._failed), None)

    def properties(
        self, owner: AnyDefinition, target: CallableDefinition, names: Iterable[str]
    ) -> Iterator[Diagnostic]:
        """Arguments that a setting picks out of a call must be in its schema."""
        schema = call_schema(self.directory, target)
        known = properties_of(schema)
        for name in names:
            if name not in known and schema.get("additionalProperties", True) is False:
                yield self.problem(
                    owner,
                    "unknown-property",
                    f"{owner.name} takes {name} from the arguments of {target.name}, which has no such argument.",
                    f"It has {', '.join(known)}." if known else "It takes no arguments.",
                    at=name,
                )

    def secrets_in(self, owner: AnyDefinition, env: Mapping[str, str]) -> Iterator[Diagnostic]:
        for name in sorted(self.secrets.intersection(env)):
            yield self.problem(
                owner,
                "secret-in-file",
                f"The value of the secret {name} stands in the file of {owner.name}.",
                "Take it out, and set it under Variables.",
                severity=Severity.WARNING,
                at=name,
            )

    def problem(
        self,
        owner: AnyDefinition,
        code: str,
        message: str,
        hint: str,
        *,
        severity: Severity = Severity.ERROR,
        at: str = "",
    ) -> Diagnostic:
        """`at` is the text, quoted in the source, whose line is told."""
        return Diagnostic(
            code=code,
            severity=severity,
            path=owner.file.path,
            line=line_of(self._source(owner.file.path), at, owner.line),
            name=owner.qualified_name,
            message=message,
            hint=hint,
        )


def line_of(source: str, quoted: str, first: int) -> int:
    """The line where a text stands in quotes, at or after the first; the first when it does not."""
    if quoted:
        pattern = re.compile(rf"""(["']){re.escape(quoted)}\1""")
        for number, line in enumerate(source.splitlines()[first - 1 :], start=first):
            if pattern.search(line):
                return number
    return first
