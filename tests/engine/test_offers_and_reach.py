"""What a prompt offers to its model, and everything that an agent's thread can come to."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.agent_values import a_handler, a_model, a_prompt, a_tool, an_agent
from workbench.domain.agents import HandlerSide, HumanSide, PromptSide, Relationship, SessionBinding
from workbench.domain.definitions import VariableSpec
from workbench.domain.packages import Package
from workbench.domain.prompts import IncludePart, PromptTool
from workbench.domain.variables import VariableType
from workbench.engine.catalog.directory import Directory
from workbench.engine.catalog.offers import offers, properties_of, provider_tools
from workbench.engine.catalog.reach import reach, whole_reach

QUESTION = {
    "type": "object",
    "properties": {"size": {"type": "integer"}, "question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}


@pytest.mark.rule("D10", "D14", "C15")
def test_a_prompt_offers_tools_prompts_and_exposed_agents_with_what_each_takes() -> None:
    entry = PromptTool(name="find", env={"A": "1"}, options={"deep": True})
    desk = a_prompt(
        "desk",
        tools=(entry, "ask", "carrier", "counter", "search", "hidden", "script", "nothing", "provider:web"),
    )
    directory = Directory(
        [
            desk,
            a_tool("find", input_schema=QUESTION, progress_argument="question"),
            a_tool("search", execution_mode="provider"),
            a_tool("script", execution="agent"),
            a_prompt("ask", required_schema=QUESTION),
            a_prompt("carrier", required_schema=QUESTION),
            an_agent("carrier", expose_as_tool=True, tool_description="Carries."),
            an_agent(
                "counter",
                side_a=HandlerSide(handler="count"),
                side_b=PromptSide(prompt="ask"),
                expose_as_tool=True,
                tool_description="Counts.",
            ),
            an_agent("hidden"),
            a_model(),
        ]
    )
    found = {one.name: one for one in offers(directory, desk)}
    assert list(found) == ["find", "ask", "counter", "search"]
    assert found["find"].entry == entry
    assert list(properties_of(found["find"].to_offered().input_schema)) == ["question", "size"]
    assert found["ask"].description == "The prompt ask."
    assert found["ask"].input_schema == QUESTION
    assert found["counter"].description == "Counts."
    assert list(properties_of(found["counter"].input_schema)) == ["message"]
    assert found["search"].input_schema == {"type": "object", "properties": {}, "additionalProperties": False}


@pytest.mark.rule("D14")
def test_an_agent_takes_what_the_prompt_of_its_receiving_side_requires() -> None:
    agents: dict[str, dict[str, Any]] = {
        "model_first": {"side_a": PromptSide(prompt="ask"), "side_b": HumanSide()},
        "person_first": {"side_a": HumanSide(), "side_b": PromptSide(prompt="ask")},
        "two_models": {"side_a": PromptSide(prompt="ask"), "side_b": PromptSide(prompt="other")},
    }
    desk = a_prompt("desk", tools=tuple(agents))
    exposed = [
        an_agent(name, expose_as_tool=True, tool_description="d", **sides) for name, sides in agents.items()
    ]
    directory = Directory([desk, a_prompt("ask", required_schema=QUESTION), a_prompt("other"), *exposed])
    assert [one.input_schema for one in offers(directory, desk)] == [QUESTION] * 3


@pytest.mark.rule("D14", "D9")
def test_a_callable_of_a_package_has_a_name_that_models_can_call() -> None:
    desk = a_prompt("desk", tools=("@scope/post/carrier",))
    inside = a_prompt("inside", tools=("echo",), package="@scope/post")
    package = Package(name="@scope/post", path="p", entry_agents=("carrier",))
    carrier = an_agent("carrier", package="@scope/post", expose_as_tool=True, tool_description="d")
    echo = a_tool("echo", package="@scope/post")
    directory = Directory([desk, inside, carrier, echo, a_tool("echo")], [package])
    assert [one.name for one in offers(directory, desk)] == ["scope__post__carrier"]
    assert [one.definition for one in offers(directory, inside)] == [echo]


@pytest.mark.rule("C15")
def test_tools_of_the_provider_come_from_the_model_and_from_the_prompt() -> None:
    desk = a_prompt("desk", tools=("provider:web", "provider:image", "find"))
    assert provider_tools(desk, a_model(provider_tools=("code", "web"))) == ("code", "web", "image")


def spec(name: str, **fields: object) -> VariableSpec:
    return VariableSpec.model_validate({"name": name, "type": VariableType.TEXT, **fields})


@pytest.mark.rule("C5", "V2")
def test_an_agent_reaches_all_that_its_thread_can_run_and_its_children_apart() -> None:
    side = PromptSide(
        prompt="desk",
        subagents=(Relationship(name="runner", agent="courier"),),
        session_stop=SessionBinding(name="done"),
    )
    front = an_agent("front", side_a=side, side_b=HandlerSide(handler="bell"))
    tool: dict[str, Any] = {"expose_as_tool": True, "tool_description": "d"}
    alone: dict[str, Any] = {
        "side_a": PromptSide(prompt="courier"),
        "side_b": PromptSide(prompt="courier"),
        **tool,
    }
    directory = Directory(
        [
            front,
            a_prompt("desk", IncludePart(prompt="style"), tools=("find", "ask", "handover", "worker")),
            a_prompt("style", variables=(spec("TONE"),)),
            a_prompt("ask", tools=("deeper",), model="other"),
            a_tool("find", uses=("used",), variables=(spec("KEY", required=False), spec("OWN", scoped=True))),
            a_tool("used", variables=(spec("KEY", type=VariableType.SECRET),)),
            a_tool("deeper"),
            a_tool("done"),
            a_tool("far", variables=(spec("FAR", scoped=True),)),
            a_tool("unreached", variables=(spec("NEVER"),)),
            a_model(),
            a_model("other", fallbacks=("spare",)),
            a_model("spare"),
            a_handler("bell"),
            an_agent("handover", **tool),
            a_prompt("handover", tools=("desk",)),
            an_agent("worker", **alone),
            an_agent("courier", **alone),
            a_prompt("courier", tools=("far", "front")),
        ]
    )
    found = reach(directory, front)
    names = {f"{one.kind}:{one.name}" for one in found.definitions}
    assert names == {
        "agent:front",
        "agent:handover",
        "handler:bell",
        *(f"prompt:{name}" for name in ("desk", "style", "ask", "handover")),
        *(f"tool:{name}" for name in ("find", "used", "deeper", "done")),
        *(f"model:{name}" for name in ("model", "other", "spare")),
    }
    assert {child.name for child in found.children} == {"courier", "worker"}
    assert [(need.spec.name, need.spec.type, need.spec.required) for need in found.needs] == [
        ("KEY", VariableType.SECRET, True),
        ("OWN", VariableType.TEXT, True),
        ("TONE", VariableType.TEXT, True),
    ]
    assert [one.name for one in found.needs[0].declared_by] == ["used", "find"]
    assert found.scoped == {"OWN"}
    below = whole_reach(directory, front)
    assert len(below) == 3
    assert below[0] == found
    assert {need.spec.name for one in below for need in one.needs} == {"KEY", "OWN", "TONE", "FAR"}
    assert below[1].scoped == {"FAR"}


def test_what_follows_from_a_definition_is_of_the_directory_and_of_the_very_definition_that_is_asked_of() -> (
    None
):
    prompt, agent = a_prompt("desk", tools=("find",)), an_agent("agent", side_a=PromptSide(prompt="desk"))
    before = Directory([prompt, agent, a_tool("find")])
    after = Directory([prompt, agent, a_tool("find", variables=(VariableSpec(name="KEY", scoped=True),))])
    bare = prompt.model_copy(update={"tools": ()})

    for _ in range(2):
        assert reach(before, agent).scoped == frozenset()
        assert reach(after, agent).scoped == {"KEY"}
        assert [one.name for one in offers(before, prompt)] == ["find"]
        assert offers(before, bare) == ()
    assert reach(before, agent) is reach(before, agent)
