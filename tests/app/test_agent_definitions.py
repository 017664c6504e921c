"""Prompts, agents, models, hooks, handlers and effects in Python files: what they become, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.agent_files import DESK, HEAD, found, words, write_files
from tests.app.projects import OpenProject
from workbench.domain.agents import AgentDefinition, HandlerSide, HumanSide, Immediate, PromptSide
from workbench.domain.definitions import DefinitionKind, Severity
from workbench.domain.hooks import EffectDefinition, HandlerDefinition, HookDefinition, HookName
from workbench.domain.models import ModelDefinition, Provider
from workbench.domain.prompts import EnvPart, IncludePart, PromptDefinition, TextPart
from workbench.domain.variables import VariableType

PROMPT = "agents/prompts/desk.py"
AGENT = "agents/agents/front.py"
MODEL = "agents/models/offline.py"


async def definition_of(opened: OpenProject, root: Path, path: str) -> object:
    async with opened(root) as wb:
        (listing,) = [one for one in wb.listings() if one.file.path == path]
        errors = [item for item in listing.diagnostics if item.severity is Severity.ERROR]
        assert errors == []
    assert listing.callable
    return listing.definition


@pytest.mark.rule("D1")
async def test_a_project_of_every_kind_has_nothing_wrong(tmp_path: Path, opened: OpenProject) -> None:
    more = {
        "agents/hooks/masking.py": HEAD
        + '@define_hook(hook="filter_messages", id="mask")\ndef mask(state, messages): return messages\n',
        "agents/handlers/counter.py": HEAD
        + '@define_handler(description="Counts.")\ndef count(state, message): return "1"\n',
        "agents/effects/mail/digest.py": HEAD
        + 'def send(state): ...\neffect = define_effect("Send a digest.", send)\n',
    }
    async with opened(write_files(tmp_path, DESK, more)) as wb:
        assert found(wb) == []
        listed = {(one.file.kind, one.name): one for one in wb.listings()}
    assert all(one.callable and one.definition and one.definition.version for one in listed.values())
    kinds = {kind for kind, _ in listed}
    assert kinds == set(DefinitionKind)
    mask = listed[DefinitionKind.HOOK, "mask"].definition
    digest = listed[DefinitionKind.EFFECT, "mail/digest"].definition
    assert isinstance(mask, HookDefinition)
    assert mask.hook is HookName.FILTER_MESSAGES
    assert isinstance(listed[DefinitionKind.HANDLER, "counter"].definition, HandlerDefinition)
    assert isinstance(digest, EffectDefinition)
    assert (digest.description, digest.input_schema) == ("Send a digest.", None)


WHOLE_PROMPT = (
    HEAD
    + """
from pydantic import BaseModel

class Question(BaseModel, extra="forbid"):
    question: str
    files: list[str] = []

desk = define_prompt(
    name="desk",
    tool_description="Answers.",
    prompt=["You are at ", Env("DESK"), Text(". "), Include("style"), {"type": "text", "content": "!"}],
    model="offline",
    include_chat=True,
    include_past_tools=True,
    parallel_tool_calls=True,
    tool_choice="required",
    required_schema=Question,
    tools=[
        "echo",
        SubPrompt("style", include_errors=False),
        {"name": "other", "env": {"MODE": "fast"}, "options": {"deep": {"a_b": 1}}},
        "provider:web_search",
    ],
    variables=[Variable("DESK", type="text", scoped=True)],
    env={"DESK": "3"},
    reasoning=Reasoning(effort="high", max_tokens=500),
    recent_image_threshold=2,
    provider_options={"temperature": 0.5},
    hooks=[],
)
"""
)


async def test_every_setting_of_a_prompt_reaches_its_definition(tmp_path: Path, opened: OpenProject) -> None:
    style = '= define_prompt(name="style", tool_description="d", prompt="Be kind", model="offline")\n'
    files = {
        PROMPT: WHOLE_PROMPT,
        "agents/prompts/style.py": f"{HEAD}style {style}",
        "agents/tools/other.py": DESK["agents/tools/echo.py"],
    }
    prompt = await definition_of(opened, write_files(tmp_path, DESK, files), PROMPT)
    assert isinstance(prompt, PromptDefinition)
    assert prompt.parts == (
        TextPart(content="You are at "),
        EnvPart(property="DESK"),
        TextPart(content=". "),
        IncludePart(prompt="style"),
        TextPart(content="!"),
    )
    assert (prompt.include_chat, prompt.include_past_tools, prompt.parallel_tool_calls) == (True, True, True)
    assert (prompt.tool_choice, prompt.recent_image_threshold, prompt.hooks) == ("required", 2, ())
    assert list((prompt.required_schema or {})["properties"]) == ["question", "files"]  # type: ignore[call-overload]
    style_entry, other = prompt.tools[1], prompt.tools[2]
    assert [entry.name for entry in prompt.tools] == ["echo", "style", "other", "provider:web_search"]
    assert (style_entry.include_text_response, style_entry.include_errors) == (True, False)
    assert (other.env, other.options) == ({"MODE": "fast"}, {"deep": {"a_b": 1}})
    assert prompt.variables[0].scoped
    assert prompt.env == {"DESK": "3"}
    assert prompt.reasoning is not None
    assert (prompt.reasoning.effort, prompt.reasoning.max_tokens) == ("high", 500)
    assert prompt.provider_options == {"temperature": 0.5}


WHOLE_AGENT = (
    HEAD
    + """
front = define_agent(
    name="front",
    title="Front desk",
    description="Answers.",
    side_a=PromptSide(
        "desk",
        label="Clerk",
        stop_on_response=False,
        stop_tool="echo",
        stop_tool_response_property="text",
        max_steps=7,
        session_stop=SessionBinding("echo", message_property="text"),
        session_fail={"name": "echo", "messageProperty": "text"},
        manual_stop_condition=True,
        subagents=[
            Subagent("courier", as_="runner", blocking=False, immediate=True, max_instances=2, optional="RUN",
                     parent_communication="explicit", resumable=False, init_user_message_property="message"),
            {"agent": "courier", "immediate": Immediate(name_env="NAME", scoped_env=["KEY"]), "hidden": True},
        ],
    ),
    side_b={"handler": "counter", "label": "Bell"},
    max_session_turns=30,
    expose_as_tool=True,
    tool_description="Ask the desk.",
    primary=False,
    hooks=["mask"],
    parent_hooks=["mask"],
    variables=[Variable("KEY")],
    env={"MODE": "fast"},
    icon="https://example.org/desk.png",
    tags=["desk"],
    package_name="desk",
    version="1.2.0",
)
"""
)


@pytest.mark.rule("T1", "T5")
async def test_every_setting_of_an_agent_reaches_its_definition(tmp_path: Path, opened: OpenProject) -> None:
    courier = 'define_agent(name="courier", side_a=HandlerSide("counter"), side_b=HandlerSide("counter"),'
    files = {
        AGENT: WHOLE_AGENT,
        "agents/agents/courier.py": f'{HEAD}c = {courier} expose_as_tool=True, tool_description="d")\n',
        "agents/handlers/counter.py": HEAD + "h = define_handler(execute=lambda state, message: None)\n",
        "agents/hooks/mask.py": HEAD
        + 'h = define_hook(hook="tool_call_started", id="mask", execute=lambda state, call, progress: None)\n',
    }
    agent = await definition_of(opened, write_files(tmp_path, DESK, files), AGENT)
    assert isinstance(agent, AgentDefinition)
    side = agent.side_a
    assert isinstance(side, PromptSide)
    assert (side.label, side.stop_on_response, side.max_steps) == ("Clerk", False, 7)
    assert (side.stop_tool, side.stop_tool_response_property) == ("echo", "text")
    assert [binding.message_property for binding in side.bindings] == ["text", "text"]
    assert side.session_status is None
    assert side.manual_stop_condition
    runner, hidden = side.subagents
    assert (runner.name, runner.agent, runner.blocking, runner.resumable) == (
        "runner",
        "courier",
        False,
        False,
    )
    assert (runner.immediate, runner.max_instances, runner.optional) == (Immediate(), 2, "RUN")
    assert (runner.parent_communication, runner.init_user_message_property) == ("explicit", "message")
    assert (hidden.name, hidden.hidden, hidden.blocking) == ("courier", True, True)
    assert hidden.immediate == Immediate(name_env="NAME", scoped_env=("KEY",))
    assert agent.side_b == HandlerSide(handler="counter", label="Bell")
    assert (agent.title, agent.max_session_turns, agent.primary, agent.tags) == (
        "Front desk",
        30,
        False,
        ("desk",),
    )
    assert (agent.hooks, agent.parent_hooks, agent.env) == (("mask",), ("mask",), {"MODE": "fast"})
    assert agent.packing == {"packageName": "desk", "version": "1.2.0"}
    assert not agent.has_human


@pytest.mark.rule("D12")
async def test_every_setting_of_a_model_reaches_its_definition(tmp_path: Path, opened: OpenProject) -> None:
    source = (
        HEAD
        + """
model = define_model(
    name="fast-writer",
    provider="openai-compatible",
    model="small-1",
    base_url="http://localhost:8080/v1",
    key_variable="LOCAL_KEY",
    fallbacks=["offline"],
    input_price=1,
    output_price=2.5,
    cached_price=0,
    capabilities=Capabilities(reasoning_levels={"0": None, "100": "high"}, supports_images=False),
    provider_options={"temperature": 0},
    provider_tools=["web_search"],
)
"""
    )
    root = write_files(tmp_path, DESK, {"agents/models/fast.py": source})
    model = await definition_of(opened, root, "agents/models/fast.py")
    assert isinstance(model, ModelDefinition)
    assert (model.name, model.provider, model.model) == ("fast-writer", Provider.OPENAI_COMPATIBLE, "small-1")
    assert (model.base_url, model.fallbacks) == ("http://localhost:8080/v1", ("offline",))
    assert (model.input_price, model.output_price, model.cached_price) == (1, 2.5, 0)
    assert model.capabilities.reasoning_levels == {0: None, 100: "high"}
    assert model.capabilities.supports_images is False
    assert [(spec.name, spec.type) for spec in model.variables] == [("LOCAL_KEY", VariableType.SECRET)]
    assert model.provider_tools == ("web_search",)


@pytest.mark.rule("D12")
async def test_the_key_of_a_provider_is_a_variable_that_the_project_lists(
    tmp_path: Path, opened: OpenProject
) -> None:
    source = HEAD + 'm = define_model(name="big", provider="anthropic", model="large-1")\n'
    async with opened(write_files(tmp_path, DESK, {"agents/models/big.py": source})) as wb:
        (line,) = [line for line in await wb.variables.lines() if line.name == "ANTHROPIC_API_KEY"]
    assert (line.type, line.used_by, line.missing) == (VariableType.SECRET, ("big",), True)


SIDES = 'side_a=PromptSide("desk"), side_b=HumanSide()'


@pytest.mark.rule("T1", "D11")
@pytest.mark.parametrize(
    ("path", "call", "code", "said"),
    [
        (AGENT, f'define_agent(name="front", type="ai_human", {SIDES})', "old-form", "side_b=HumanSide()"),
        (AGENT, f'define_agent(name="front", type="dual_ai", {SIDES})', "old-form", "side_b=PromptSide"),
        (AGENT, f'define_agent(name="front", max_turns=3, {SIDES})', "old-form", "max_steps"),
        (
            AGENT,
            'define_agent(name="front", side_a={"prompt": "desk", "maxTurns": 3}, side_b=HumanSide())',
            "old-form",
            "Write max_steps",
        ),
        (
            AGENT,
            (
                'define_agent(name="front", side_a={"prompt": "desk", "end_conversation_tool": "echo"},'
                " side_b=HumanSide())"
            ),
            "old-form",
            "session_stop=SessionBinding",
        ),
        (
            AGENT,
            'define_agent(name="front", side_a=PromptSide("desk", session_stop="echo"), side_b=HumanSide())',
            "old-form",
            "session_stop=SessionBinding(name='echo')",
        ),
        (
            AGENT,
            (
                'define_agent(name="front", side_a=PromptSide("desk", subagents=[{"agent": "x",'
                ' "resumable": {"maxInstances": 2}}]), side_b=HumanSide())'
            ),
            "old-form",
            "max_instances",
        ),
        (
            PROMPT,
            (
                'define_prompt(name="desk", tool_description="d", prompt="x", model="offline",'
                ' tools=[{"name": "courier", "blocking": True}])'
            ),
            "old-form",
            "subagents=[Subagent(agent='courier'",
        ),
        (
            PROMPT,
            'define_prompt(name="desk", tool_description="d", prompt="x", model="offline", subagents=[])',
            "old-form",
            "the side of an agent",
        ),
        ("agents/hooks/mask.py", 'define_hook("filter_messages", print)', "old-form", "define_hook(hook=…"),
        (
            AGENT,
            'define_agent(name="front", side_a=HumanSide(), side_b=HumanSide())',
            "both-human",
            "leaves nothing to run",
        ),
        (
            AGENT,
            'define_agent(name="front", side_a={"prompt": "desk", "handler": "x"}, side_b=HumanSide())',
            "side-shape",
            "prompt and handler",
        ),
        (AGENT, 'define_agent(name="front", side_a={}, side_b=HumanSide())', "side-shape", "none of them"),
        (AGENT, 'define_agent(name="front", side_a=HumanSide())', "bad-field", "side_b is required"),
        (
            AGENT,
            'define_agent(name="front", side_a=PromptSide("desk", stop_tool="echo"), side_b=HumanSide())',
            "bad-field",
            "stop_tool_response_property",
        ),
        (
            AGENT,
            'define_agent(name="front", side_a={"prompt": "desk", "max_stepz": 3}, side_b=HumanSide())',
            "bad-field",
            "Did you mean max_steps?",
        ),
        (
            AGENT,
            f'define_agent(name="front", expose_as_tool=True, {SIDES})',
            "missing-tool-description",
            "say",
        ),
        (AGENT, f'define_agent(name="Front", {SIDES})', "bad-name", "lower-case"),
        (
            PROMPT,
            (
                'define_prompt(name="desk", tool_description="d", prompt="x", model="offline",'
                ' tools=["echo", PromptTool("echo")])'
            ),
            "bad-field",
            "tools names echo twice",
        ),
        (
            AGENT,
            (
                'define_agent(name="front", side_b=HumanSide(), side_a=PromptSide("desk",'
                ' subagents=[Subagent("x"), Subagent("y", as_="x")]))'
            ),
            "bad-field",
            "two subagents with the name x",
        ),
        (
            AGENT,
            (
                'define_agent(name="front", side_b=HumanSide(), side_a=PromptSide("desk",'
                ' subagents=[Subagent("x", as_="subagents")]))'
            ),
            "reserved-name",
            "built-in tool",
        ),
        (
            MODEL,
            'define_model(name="offline", provider="scripted", capabilities={"reasoning_levels": {"101": "x"}})',
            "bad-field",
            "levels are 0 to 100",
        ),
        (
            PROMPT,
            (
                'define_prompt(name="desk", tool_description="d", prompt="x", model="offline",'
                ' variables=[Variable("A"), Variable("A")])'
            ),
            "bad-field",
            "The variable A is declared twice",
        ),
        (
            PROMPT,
            'define_prompt(name="desk", tool_description="d", prompt=[{"type": "env", "name": "X"}], model="offline")',
            "bad-field",
            "It has type, content, prompt, property.",
        ),
        (
            PROMPT,
            'define_prompt(name="desk", tool_description="d", prompt=[{"type": "env"}], model="offline")',
            "bad-field",
            "prompt[0]",
        ),
        (
            PROMPT,
            'define_prompt(name="desk", tool_description="d", prompt="x", model="offline", tool_choice="any")',
            "bad-field",
            "tool_choice",
        ),
        (MODEL, 'define_model(name="offline", provider="opneai", model="x")', "unknown-provider", "openai?"),
        (
            MODEL,
            'define_model(name="offline", provider="test")',
            "unknown-provider",
            "Did you mean scripted?",
        ),
        (MODEL, 'define_model(name="offline", provider=print, model="x")', "unknown-provider", "a name"),
        (MODEL, 'define_model(name="offline", provider="openai")', "bad-field", "model is required"),
        (
            MODEL,
            'define_model(name="offline", provider="openai", model="x", base_url="localhost:8080")',
            "bad-field",
            "begins with http",
        ),
        (
            MODEL,
            'define_model(name="offline", provider="openai-compatible", model="x")',
            "bad-field",
            "base_url",
        ),
        (
            MODEL,
            'define_model(name="offline", provider="scripted", input_price=-1)',
            "bad-field",
            "input_price",
        ),
        (
            "agents/hooks/mask.py",
            'define_hook(hook="filter_message", id="mask", execute=print)',
            "unknown-hook-kind",
            "filter_messages?",
        ),
        ("agents/hooks/mask.py", 'define_hook(hook="filter_messages", id="mask")', "bad-field", "execute"),
        ("agents/handlers/count.py", "define_handler()", "bad-field", "execute is required"),
        ("agents/effects/digest.py", 'define_effect("d")', "bad-field", "handler is required"),
        ("agents/prompts/other.py", 'define_tool(description="d", execute=print)', "wrong-kind", "a tool"),
        ("agents/prompts/other.py", "None", "no-definition", "define_prompt"),
    ],
)
async def test_what_cannot_be_meant_is_refused_with_what_to_write(
    tmp_path: Path, opened: OpenProject, *, path: str, call: str, code: str, said: str
) -> None:
    files = {path: f"{HEAD}\nit = {call}\n"}
    async with opened(write_files(tmp_path, DESK, files)) as wb:
        (listing,) = [one for one in wb.listings() if one.file.path == path]
    told = [item for item in listing.diagnostics if item.code == code]
    assert said in "".join(f"{item.message} {item.hint}" for item in told)
    assert {item.severity for item in told} == {Severity.ERROR}
    assert {item.line for item in told} == {1 if code == "no-definition" else 3}
    assert listing.definition is None
    assert not listing.callable


@pytest.mark.rule("D10", "D11")
async def test_what_is_older_and_still_means_something_is_a_warning(
    tmp_path: Path, opened: OpenProject
) -> None:
    source = (
        'define_prompt(name="desk", tool_description="d", prompt="x", model="offline", expose_as_tool=True,'
        ' tenvs={"MODE": "1"}, env={"TONE": "kind"}, tools=[{"name": "echo", "tenvs": {"A": "b"}}])\n'
    )
    async with opened(write_files(tmp_path, DESK, {PROMPT: f"{HEAD}it = {source}"})) as wb:
        (listing,) = [one for one in wb.listings() if one.file.path == PROMPT]
    assert listing.callable
    assert [(item.code, item.severity) for item in listing.diagnostics] == [
        ("deprecated-field", Severity.WARNING)
    ] * 3
    prompt = listing.definition
    assert isinstance(prompt, PromptDefinition)
    assert (prompt.env, prompt.tools[0].env) == ({"MODE": "1", "TONE": "kind"}, {"A": "b"})


async def test_a_prompt_that_is_wrong_in_many_ways_says_all_of_them_at_once(
    tmp_path: Path, opened: OpenProject
) -> None:
    source = 'define_prompt(name="desk", prompt=3, model="", include_chat="yes", tool_choice="no")\n'
    async with opened(write_files(tmp_path, DESK, {PROMPT: f"{HEAD}it = {source}"})) as wb:
        told = [item.message for item in wb.diagnostics() if item.path == PROMPT]
    assert all(any(field in message for message in told) for field in ("prompt", "model", "include_chat"))


async def test_a_person_backs_a_side_also_when_written_as_a_mapping(
    tmp_path: Path, opened: OpenProject
) -> None:
    source = 'define_agent(name="front", side_a={"prompt": "desk", "human": False}, side_b={"human": True})\n'
    agent = await definition_of(opened, write_files(tmp_path, DESK, {AGENT: f"{HEAD}it = {source}"}), AGENT)
    assert isinstance(agent, AgentDefinition)
    assert (agent.side_b, agent.has_human) == (HumanSide(), True)


async def test_a_hook_that_cannot_be_given_what_it_would_change_is_pointed_at(
    tmp_path: Path, opened: OpenProject
) -> None:
    source = 'define_hook(hook="before_store_tool_result", id="mask", execute=lambda state: None)\n'
    async with opened(write_files(tmp_path, DESK, {"agents/hooks/mask.py": f"{HEAD}it = {source}"})) as wb:
        assert "(state, call, result); this one takes 1" in words(wb, "hook-parameters")
