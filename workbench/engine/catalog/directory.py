"""The directory: which definition a name stands for, seen from the project or from within a package (D2, D9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import TypeVar, cast

from workbench.domain.agents import AgentDefinition
from workbench.domain.definitions import DefinitionKind
from workbench.domain.hooks import EffectDefinition, HandlerDefinition, HookDefinition
from workbench.domain.listing import AnyDefinition
from workbench.domain.models import ModelDefinition
from workbench.domain.packages import Package
from workbench.domain.prompts import PromptDefinition, PromptTool
from workbench.domain.tools import ToolDefinition

CallableDefinition = ToolDefinition | PromptDefinition | AgentDefinition
"""What a model can call (D10)."""

CONNECTION_PREFIX = "mcp:"
"""Before the name of a connection, or of a tool of one, in a prompt's `tools`."""

_MOST_TOLD = 12
"""Names in a hint."""

_Kind = TypeVar("_Kind", bound=AnyDefinition)
_Made = TypeVar("_Made")
_Key = tuple[DefinitionKind, str | None, str]

KIND_OF: Mapping[type[AnyDefinition], DefinitionKind] = {
    ToolDefinition: DefinitionKind.TOOL,
    PromptDefinition: DefinitionKind.PROMPT,
    AgentDefinition: DefinitionKind.AGENT,
    ModelDefinition: DefinitionKind.MODEL,
    HookDefinition: DefinitionKind.HOOK,
    EffectDefinition: DefinitionKind.EFFECT,
    HandlerDefinition: DefinitionKind.HANDLER,
}


class Directory:
    """Every definition that loaded, by name. Definitions of one kind and one name stand for nothing (D2)."""

    def __init__(self, definitions: Iterable[AnyDefinition] = (), packages: Iterable[Package] = ()) -> None:
        self.packages = {package.name: package for package in packages}
        same: defaultdict[_Key, list[AnyDefinition]] = defaultdict(list)
        for definition in definitions:
            same[definition.kind, definition.package, definition.name].append(definition)
        self._by_key = {key: found[0] for key, found in same.items() if len(found) == 1}
        self.twins = tuple(tuple(found) for found in same.values() if len(found) > 1)
        """Definitions that cannot be told apart."""
        self._callables: dict[tuple[str, str | None], tuple[CallableDefinition, ...]] = {}
        """What was asked for already; the directory does not change."""
        self._used_as_tools = frozenset(self._prompts_in_tools())
        self._made: dict[tuple[Callable[..., object], _Key], object] = {}

    def __iter__(self) -> Iterator[AnyDefinition]:
        return iter(self._by_key.values())

    def all(self, kind: type[_Kind]) -> Iterator[_Kind]:
        """Every definition of a kind, those of packages too."""
        return (found for found in self._by_key.values() if isinstance(found, kind))

    def find(self, kind: type[_Kind], name: str, package: str | None = None) -> _Kind | None:
        """What a name stands for, seen from a package or, without one, from the project."""
        for space, local in self._places(KIND_OF[kind], name, package):
            found = self._by_key.get((KIND_OF[kind], space, local))
            if found is not None and self._is_visible(found, package):
                return cast(_Kind, found)
        return None

    def once(self, make: Callable[[Directory, _Kind], _Made], definition: _Kind) -> _Made:
        """What follows from the directory and one of its definitions, made once: neither changes."""
        key = (definition.kind, definition.package, definition.name)
        if self._by_key.get(key) is not definition:
            return make(self, definition)  # of other times, or changed for one step
        if (make, key) not in self._made:
            self._made[make, key] = make(self, definition)
        return cast(_Made, self._made[make, key])

    def find_hidden(self, kind: type[_Kind], name: str) -> _Kind | None:
        """What a qualified name stands for, also where it is the package's own business."""
        space, local = self.split(name)
        return cast("_Kind | None", self._by_key.get((KIND_OF[kind], space, local))) if space else None

    def split(self, name: str) -> tuple[str | None, str]:
        """Package and name of a qualified name; None and the name for any other."""
        if "/" not in name:
            return None, name
        parts = name.split("/")
        size = 2 if name.startswith("@") else 1
        package = "/".join(parts[:size])
        if len(parts) > size and package in self.packages:
            return package, "/".join(parts[size:])
        return None, name

    def callables(self, name: str, package: str | None = None) -> tuple[CallableDefinition, ...]:
        """What a model could mean by a name: one where all is well, several where names clash (D2, D10)."""
        key = (name, package)
        if key not in self._callables:
            self._callables[key] = self._find_callables(name, package)
        return self._callables[key]

    def _find_callables(self, name: str, package: str | None) -> tuple[CallableDefinition, ...]:
        found = (
            self.find(ToolDefinition, name, package),
            self.find(PromptDefinition, name, package),
            self.find(AgentDefinition, name, package),
        )
        shown = [
            one for one in found if one and not (isinstance(one, AgentDefinition) and not one.expose_as_tool)
        ]
        own = [one for one in shown if one.package == package]
        return tuple(own or shown)

    def entries(self, prompt: PromptDefinition) -> tuple[PromptTool, ...]:
        """What a prompt's `tools` names, with an entry for each tool that `mcp:NAME` stands for: those of the
        connection NAME that are not named besides, or the tool NAME of whichever connection has it."""
        named = {entry.name for entry in prompt.tools}
        return tuple(
            entry if tool is None else entry.model_copy(update={"name": tool})
            for entry in prompt.tools
            for tool in self._meant(entry.name, named)
        )

    def _meant(self, name: str, named: Collection[str]) -> Iterable[str | None]:
        if not name.startswith(CONNECTION_PREFIX):
            return (None,)
        wanted = name.removeprefix(CONNECTION_PREFIX)
        whole = [tool.name for tool in self._foreign if tool.file.connection == wanted]
        if whole:
            return (tool for tool in whole if tool not in named)
        return [tool.name for tool in self._foreign if wanted in (tool.name, tool.file.name)][:1]

    @cached_property
    def _foreign(self) -> tuple[ToolDefinition, ...]:
        """The tools of connections."""
        return tuple(tool for tool in self.all(ToolDefinition) if tool.file.connection is not None)

    def is_used_as_tool(self, prompt: PromptDefinition) -> bool:
        """Whether a prompt's `tools` names it (D10)."""
        return (prompt.package, prompt.name) in self._used_as_tools

    def _prompts_in_tools(self) -> Iterator[tuple[str | None, str]]:
        for prompt in self.all(PromptDefinition):
            for entry in prompt.tools:
                found = self.find(PromptDefinition, entry.name, prompt.package)
                if found is not None:
                    yield found.package, found.name

    def names(self, kind: type[AnyDefinition], package: str | None = None) -> tuple[str, ...]:
        """The names that can be written for definitions of a kind, sorted."""
        wanted = KIND_OF[kind]
        return tuple(
            sorted(
                found.name if found.package in (None, package) else found.qualified_name
                for (one, _, _), found in self._by_key.items()
                if one is wanted and self._is_visible(found, package)
            )
        )

    def nearest(
        self, kinds: Iterable[type[AnyDefinition]], name: str, package: str | None = None
    ) -> tuple[str, ...]:
        """Up to three names that are spelled alike (C2)."""
        known = {known for kind in kinds for known in self.names(kind, package)}
        return tuple(get_close_matches(name, sorted(known), n=3))

    def what_to_write(
        self, kinds: Sequence[type[AnyDefinition]], name: str, package: str | None = None
    ) -> str:
        """A hint for who wrote a name that leads nowhere: those spelled alike, else those that there are."""
        near = self.nearest(kinds, name, package)
        if near:
            return f"Did you mean {' or '.join(near)}?"
        word = "tool" if len(kinds) > 1 else KIND_OF[kinds[0]].value
        known = sorted({one for kind in kinds for one in self.names(kind, package)})
        if len(kinds) > 1:
            known = [one for one in known if self.callables(one, package)]
        if not known:
            return f"This project has no {word} yet; `workbench new {word} NAME` makes one."
        more = f" and {len(known) - _MOST_TOLD} more" if len(known) > _MOST_TOLD else ""
        return f"There {'is' if len(known) == 1 else 'are'} {', '.join(known[:_MOST_TOLD])}{more}."

    def _places(
        self, kind: DefinitionKind, name: str, package: str | None
    ) -> Iterator[tuple[str | None, str]]:
        space, local = self.split(name)
        if space is not None:
            yield space, local
            return
        if package is not None:
            yield package, name
        yield None, name
        if kind is DefinitionKind.AGENT and package is None:
            yield from ((one.name, name) for one in self.packages.values() if name in one.entry_agents)

    def _is_visible(self, found: AnyDefinition, package: str | None) -> bool:
        if found.package in (None, package):
            return True
        owner = self.packages.get(found.package or "")
        return isinstance(found, AgentDefinition) and owner is not None and found.name in owner.entry_agents
