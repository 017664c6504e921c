"""Tools of connections among a project's own: their names, and what prompts offer of them."""

from __future__ import annotations

import pytest

from tests.engine.agent_values import a_prompt, an_agent
from workbench.domain.definitions import DefinitionFile, DefinitionKind, Dialect, Language, LoadedFile
from workbench.domain.listing import AnyDefinition
from workbench.domain.prompts import PromptTool
from workbench.engine.catalog import Catalog
from workbench.engine.catalog.directory import Directory
from workbench.engine.catalog.offers import offers


def foreign(connection: str, name: str) -> DefinitionFile:
    return DefinitionFile(
        path=f"mcp:{connection}/{name}",
        kind=DefinitionKind.TOOL,
        dialect=Dialect.AGENT_SDK,
        language=Language.MCP,
        name=name,
        digest="1",
        connection=connection,
    )


def own(name: str, kind: DefinitionKind = DefinitionKind.TOOL) -> DefinitionFile:
    return DefinitionFile(
        path=f"agents/{kind}s/{name}.py",
        kind=kind,
        dialect=Dialect.STANDARD_AGENTS,
        language=Language.PYTHON,
        name=name,
        digest="1",
    )


def catalog(*files: DefinitionFile) -> Catalog:
    made = Catalog([Language.PYTHON, Language.MCP])
    for file in made.discovered(files, ()):
        fields = {"description": f"The tool {file.name}."}
        raw = {"kind": file.kind.value, "line": 1, "fields": fields, "execute": {"async": True}}
        made.loaded(LoadedFile(file=file, raw=raw), "")
    return made


@pytest.mark.rule("H6", "D2")
def test_a_connections_tool_keeps_its_name_where_nothing_else_has_it() -> None:
    found = catalog(own("find"), foreign("shop", "buy"))
    assert found.names() == ("buy", "find")


@pytest.mark.rule("H6", "D2")
def test_on_a_clash_the_projects_own_tool_keeps_the_name_and_the_connections_takes_another() -> None:
    found = catalog(own("find"), foreign("shop", "find"), foreign("my maps", "find"))
    assert found.names() == ("find", "my_maps__find", "shop__find")
    tool = found.find("shop__find")
    assert tool is not None
    assert (tool.file.path, tool.file.name) == ("mcp:shop/find", "find")
    assert [listing.name for listing in found.listings()] == ["find", "my_maps__find", "shop__find"]
    assert all(listing.callable for listing in found.listings())


@pytest.mark.rule("H6", "D2")
def test_tools_of_two_connections_with_one_name_are_told_apart_by_theirs() -> None:
    found = catalog(foreign("a", "find"), foreign("b", "find"), foreign("a", "subagents"))
    assert found.names() == ("a__find", "a__subagents", "b__find")


def test_a_name_is_plain_again_when_the_other_is_gone() -> None:
    found = catalog(own("find"), foreign("shop", "find"))
    found.discovered((foreign("shop", "find"),), ())
    assert found.names() == ("find",)


# --- what prompts offer


def offered(*tools: str | PromptTool, among: tuple[DefinitionFile, ...]) -> list[str]:
    directory = catalog(*among).directory
    prompt = a_prompt("desk", tools=tools)
    definitions: list[AnyDefinition] = [*directory, prompt, an_agent("desk")]
    return [offer.name for offer in offers(Directory(definitions), prompt)]


SHOP = (own("find"), foreign("shop", "find"), foreign("shop", "buy"), foreign("maps", "show.map"))


@pytest.mark.rule("H6", "D14")
def test_a_prompt_offers_every_tool_of_a_connection_that_it_names() -> None:
    assert offered("find", "mcp:shop", among=SHOP) == ["find", "shop__find", "buy"]


@pytest.mark.rule("H6", "D14")
def test_a_prompt_offers_single_tools_of_connections_by_their_names() -> None:
    assert offered("buy", "mcp:show.map", among=SHOP) == ["buy", "show_map"]
    assert offered(PromptTool(name="buy", options={"fast": True}), "mcp:shop", among=SHOP) == [
        "buy",
        "shop__find",
    ]


def test_a_connection_that_is_not_there_offers_nothing_and_takes_nothing_away() -> None:
    assert offered("find", "mcp:nobody", among=SHOP) == ["find"]
