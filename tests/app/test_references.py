"""Names that definitions write for each other: where one leads nowhere it is said, and said no longer once it does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.app.agent_files import DESK, HEAD, found, words, write_files
from tests.app.projects import OpenProject
from workbench.app import CallRefused
from workbench.domain.definitions import Severity

PROMPT = "agents/prompts/desk.py"
AGENT = "agents/agents/front.py"


def prompt(fields: str, name: str = "desk") -> str:
    base = f'name="{name}", tool_description="d", prompt="x", model="offline"'
    return f"{HEAD}\nit = define_prompt(**{{**dict({base}), **dict({fields})}})\n"


def agent(fields: str, name: str = "front") -> str:
    base = f'name="{name}", side_a=PromptSide("desk"), side_b=HumanSide()'
    return f"{HEAD}\nit = define_agent(**{{**dict({base}), **dict({fields})}})\n"


COURIER = agent('expose_as_tool=True, tool_description="Carries.", side_b=PromptSide("desk")', "courier")


@pytest.mark.rule("D15")
@pytest.mark.parametrize(
    ("path", "source", "code", "said"),
    [
        (PROMPT, prompt('model="ofline"'), "unknown-model", "Did you mean offline?"),
        (PROMPT, prompt('tools=["ecko"]'), "unknown-tool", "Did you mean echo?"),
        (PROMPT, prompt('tools=["nothing_like_it"]'), "unknown-tool", "There are courier, desk, echo."),
        (PROMPT, prompt('tools=["masker"]'), "unknown-tool", "is a handler. No model can call it."),
        (PROMPT, prompt('tools=["front"]'), "not-exposed", "expose_as_tool=True"),
        (PROMPT, prompt('hooks=["mask"]'), "unknown-hook", "has no hook yet; `workbench new hook NAME`"),
        (PROMPT, prompt('prompt=[Include("dsk")]'), "unknown-prompt", "Did you mean desk?"),
        (PROMPT, prompt('tools=["broken"]'), "broken-tool", "agents/tools/broken.py, line 1:"),
        (
            PROMPT,
            prompt('tools=[SubPrompt("echo", init_user_message_property="txt")]'),
            "unknown-property",
            "It has text.",
        ),
        (AGENT, agent('side_a=PromptSide("dsk")'), "unknown-prompt", "Did you mean desk?"),
        (AGENT, agent('side_b=HandlerSide("maskr")'), "unknown-handler", "Did you mean masker?"),
        (AGENT, agent('hooks=["mask"]'), "unknown-hook", "hooks of the agent front names the hook mask"),
        (
            AGENT,
            agent('side_a=PromptSide("desk", subagents=[Subagent("couriers")])'),
            "unknown-agent",
            "Did you mean courier?",
        ),
        (AGENT, agent('side_a=PromptSide("desk", subagents=[Subagent("front")])'), "not-exposed", "front"),
        (
            AGENT,
            agent('side_a=PromptSide("desk", stop_tool="ecko", stop_tool_response_property="text")'),
            "unknown-tool",
            "Did you mean echo?",
        ),
        (
            AGENT,
            agent('side_a=PromptSide("desk", stop_tool="echo", stop_tool_response_property="txt")'),
            "unknown-property",
            "It has text.",
        ),
        (
            "agents/models/other.py",
            f'{HEAD}\nit = define_model(name="other", provider="scripted", fallbacks=["ofline"])\n',
            "unknown-model",
            "Did you mean offline?",
        ),
    ],
)
async def test_a_name_that_leads_nowhere_is_told_with_its_line_and_what_was_meant(
    tmp_path: Path, opened: OpenProject, *, path: str, source: str, code: str, said: str
) -> None:
    around = {
        "agents/handlers/masker.py": HEAD + "it = define_handler(execute=lambda state, message: None)\n",
        "agents/tools/broken.py": "def (:\n",
        "agents/agents/courier.py": COURIER,
    }
    async with opened(write_files(tmp_path, DESK, around, {path: source})) as wb:
        (listing,) = [one for one in wb.listings() if one.file.path == path]
    (item,) = [item for item in listing.diagnostics if item.code == code]
    assert said in f"{item.message} {item.hint}"
    assert (item.line, item.severity) == (3, Severity.ERROR)
    assert not listing.callable


@pytest.mark.rule("D15")
async def test_the_line_is_the_one_where_the_name_stands(tmp_path: Path, opened: OpenProject) -> None:
    source = (
        f'{HEAD}it = define_prompt(\n    name="desk",\n    tool_description="d",\n    prompt="x",\n'
        '    model="offline",\n    tools=[\n        "echo",\n        "ecko",\n    ],\n)\n'
    )
    async with opened(write_files(tmp_path, DESK, {PROMPT: source})) as wb:
        (item,) = wb.diagnostics()
    assert (item.code, item.line) == ("unknown-tool", 9)


@pytest.mark.rule("D15")
async def test_prompts_that_include_each_other_are_told_so_and_so_is_what_includes_itself(
    tmp_path: Path, opened: OpenProject
) -> None:
    files = {
        PROMPT: prompt('prompt=[Include("tone")]'),
        "agents/prompts/tone.py": prompt('prompt=["x", Include("style")]', "tone"),
        "agents/prompts/style.py": prompt('prompt=[Include("tone")]', "style"),
        "agents/prompts/own.py": prompt('prompt=[Include("own")]', "own"),
    }
    async with opened(write_files(tmp_path, DESK, files)) as wb:
        told = {item.name: item.message for item in wb.diagnostics()}
        assert {code for _, code in found(wb)} == {"include-cycle"}
    assert "tone → style → tone" in told["tone"]
    assert "style → tone → style" in told["style"]
    assert "own → own" in told["own"]
    assert "desk" not in told


@pytest.mark.rule("D13")
async def test_a_secret_has_no_place_in_a_prompt(tmp_path: Path, opened: OpenProject) -> None:
    files = {
        PROMPT: prompt('prompt=[Env("KEY")], variables=[Variable("KEY")]'),
        "agents/prompts/other.py": prompt('prompt=[Env("KEY"), Env("TONE")], env={"KEY": "1"}', "other"),
    }
    async with opened(write_files(tmp_path, DESK, files)) as wb:
        assert found(wb) == [
            (PROMPT, "secret-in-prompt"),
            ("agents/prompts/other.py", "secret-in-file"),
            ("agents/prompts/other.py", "secret-in-prompt"),
            ("agents/prompts/other.py", "undeclared-variable"),
        ]


@pytest.mark.rule("D10")
async def test_a_prompt_used_as_a_tool_must_say_what_for(tmp_path: Path, opened: OpenProject) -> None:
    silent = prompt('tool_description=""', "silent")
    root = write_files(tmp_path, DESK, {"agents/prompts/silent.py": silent})
    async with opened(root) as wb:
        (alone,) = wb.diagnostics()
        write_files(root, {PROMPT: prompt('tools=["silent"]')})
        await wb.settled()
        (used,) = wb.diagnostics()
    assert (alone.code, alone.severity) == ("missing-tool-description", Severity.WARNING)
    assert (used.code, used.severity, used.path) == (alone.code, Severity.ERROR, alone.path)


@pytest.mark.rule("D2", "D10")
async def test_a_name_of_two_callables_is_told_at_both_and_neither_can_be_called(
    tmp_path: Path, opened: OpenProject
) -> None:
    files = {
        PROMPT: prompt('tools=["echo"]'),
        "agents/prompts/echo.py": prompt("", "echo"),
        "agents/agents/courier.py": agent('expose_as_tool=True, tool_description="d"', "echo"),
    }
    root = write_files(tmp_path, DESK, files)
    async with opened(root) as wb:
        clashing = ["agents/agents/courier.py", "agents/prompts/echo.py", "agents/tools/echo.py"]
        assert found(wb) == [(path, "name-clash") for path in clashing]
        assert not any(one.callable for one in wb.listings() if one.file.path in clashing)
        message = next(item.message for item in wb.diagnostics() if item.path == "agents/tools/echo.py")
        assert "agents/prompts/echo.py" in message
        assert "agents/agents/courier.py" in message
        for path in clashing[:2]:
            (root / path).unlink()
        await wb.settled()
        assert found(wb) == []
        assert (await wb.call_tool("echo", {"text": "a"})).result == "a"


@pytest.mark.rule("D2")
async def test_a_prompt_that_no_prompt_calls_may_have_the_name_of_a_tool(
    tmp_path: Path, opened: OpenProject
) -> None:
    files = {PROMPT: prompt(""), "agents/prompts/echo.py": prompt("", "echo")}
    async with opened(write_files(tmp_path, DESK, files)) as wb:
        assert found(wb) == []


@pytest.mark.rule("D2")
async def test_two_prompts_of_one_name_stand_for_nothing(tmp_path: Path, opened: OpenProject) -> None:
    async with opened(write_files(tmp_path, DESK, {"agents/prompts/other.py": prompt("")})) as wb:
        assert found(wb) == [
            (AGENT, "unknown-prompt"),
            (PROMPT, "name-clash"),
            ("agents/prompts/other.py", "name-clash"),
        ]


async def test_a_tool_that_ends_a_turn_and_is_not_offered_is_pointed_at(
    tmp_path: Path, opened: OpenProject
) -> None:
    side = 'side_a=PromptSide("desk", session_stop=SessionBinding("done", message_property="text"))'
    files = {AGENT: agent(side), "agents/tools/done.py": DESK["agents/tools/echo.py"]}
    async with opened(write_files(tmp_path, DESK, files)) as wb:
        assert "Add done to the tools of desk." in words(wb, "not-offered")


async def test_a_tool_of_the_project_that_uses_nothing_known_can_still_be_called(
    tmp_path: Path, opened: OpenProject
) -> None:
    uses = DESK["agents/tools/echo.py"].replace("args=Args,", 'args=Args, uses=["ecko"],')
    async with opened(write_files(tmp_path, DESK, {"agents/tools/echo.py": uses})) as wb:
        (item,) = wb.diagnostics()
        assert (item.code, item.severity) == ("unknown-tool", Severity.WARNING)
        assert not (await wb.call_tool("echo", {"text": "a"})).is_error


@pytest.mark.rule("D15")
async def test_a_change_of_one_file_tells_anew_what_is_wrong_with_those_that_name_it(
    tmp_path: Path, opened: OpenProject
) -> None:
    root = write_files(tmp_path, DESK)
    async with opened(root, watch=True) as wb:
        await wb.settled()
        assert found(wb) == []
        told: list[str] = []
        changed = asyncio.Event()

        def on_changes(names: frozenset[str]) -> None:
            told.extend(names)
            changed.set()

        wb.subscribe(on_changes=lambda changes: on_changes(changes.definitions))
        version = next(
            one.definition.version for one in wb.listings() if one.file.path == AGENT and one.definition
        )
        model = root / "agents/models/offline.py"
        model.write_text(model.read_text().replace('"offline"', '"online"'))
        async with asyncio.timeout(40):
            while found(wb) != [(PROMPT, "unknown-model")]:
                changed.clear()
                await changed.wait()
        assert {"desk", "online"} <= set(told)
        assert "front" not in told
        same = next(one.definition for one in wb.listings() if one.file.path == AGENT)
        assert same is not None
        assert same.version == version
        model.write_text(model.read_text().replace('"online"', '"offline"'))
        async with asyncio.timeout(40):
            while found(wb):
                changed.clear()
                await changed.wait()


async def test_one_bad_file_hides_none_of_its_neighbours(tmp_path: Path, opened: OpenProject) -> None:
    bad = {path.replace(".py", "_bad.py"): "raise ValueError('no')\n" for path in DESK}
    async with opened(write_files(tmp_path, DESK, bad)) as wb:
        listed = {one.file.path: one for one in wb.listings()}
        assert found(wb) == sorted((path, "import-error") for path in bad)
    assert all(listed[path].callable for path in DESK)


@pytest.mark.rule("C2")
async def test_a_call_of_a_tool_that_failed_to_load_ends_its_reason_once(
    tmp_path: Path, opened: OpenProject
) -> None:
    wrong = {"agents/tools/wrong.py": HEAD + 'it = define_tool(descripton="d", execute=lambda state: None)\n'}
    async with opened(write_files(tmp_path, wrong)) as wb:
        with pytest.raises(CallRefused) as refused:
            await wb.call_tool("wrong", {})

    assert refused.value.message.endswith("Did you mean 'description'?")
