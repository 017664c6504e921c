"""Packages: what is seen of them from outside, and what their own definitions see."""

from __future__ import annotations

import json
import venv
from pathlib import Path

import pytest

from tests.app.agent_files import DESK, ECHO, HEAD, found, words, write_files
from tests.app.projects import OpenProject
from tests.app.test_references import AGENT, agent, prompt

CALLS = (
    HEAD
    + """
async def execute(state):
    return await state.invoke_tool("echo", {"text": "from the package"})
tool = define_tool(description="Calls another.", USES execute=execute)
"""
)


def package(
    name: str = "post", *, entry: tuple[str, ...] = ("carrier",), calls: str = 'uses=["echo"],'
) -> dict[str, str]:
    """A package whose agent `carrier` offers `calls_echo`, which calls the package's own `echo`."""
    base = f"agents/packed/{name}"
    return {
        f"{base}/package.json": json.dumps({"name": name, "standardagent": {"entryAgents": list(entry)}}),
        f"{base}/tools/echo.py": ECHO.replace('args["text"]', '"own: " + args["text"]'),
        f"{base}/tools/calls_echo.py": CALLS.replace("USES", calls),
        f"{base}/prompts/desk.py": prompt('tools=["calls_echo"]'),
        f"{base}/agents/carrier.py": agent('expose_as_tool=True, tool_description="Carries."', "carrier"),
        f"{base}/agents/inner.py": agent('expose_as_tool=True, tool_description="Inside."', "inner"),
    }


@pytest.mark.rule("D9", "D2")
async def test_a_package_is_listed_under_its_name_and_finds_its_own_things_first(
    tmp_path: Path, opened: OpenProject
) -> None:
    async with opened(write_files(tmp_path, DESK, package())) as wb:
        assert found(wb) == []
        names = {one.name for one in wb.listings() if one.file.package == "post"}
        assert names == {"post/echo", "post/calls_echo", "post/desk", "post/carrier", "post/inner"}
        assert (await wb.call_tool("post/calls_echo", {})).result == "own: from the package"
        assert (await wb.call_tool("echo", {"text": "a"})).result == "a"


@pytest.mark.rule("D9")
async def test_a_tool_of_a_package_that_lists_nothing_may_call_nothing(
    tmp_path: Path, opened: OpenProject
) -> None:
    async with opened(write_files(tmp_path, DESK, package(calls=""))) as wb:
        record = await wb.call_tool("post/calls_echo", {})
    assert record.is_error
    assert "lists what it uses" in str(record.result)


@pytest.mark.rule("D9")
async def test_what_a_package_uses_and_does_not_bring_is_a_definition_error(
    tmp_path: Path, opened: OpenProject
) -> None:
    files = package()
    del files["agents/packed/post/tools/echo.py"]
    async with opened(write_files(tmp_path, DESK, files)) as wb:
        assert found(wb) == [("agents/packed/post/tools/calls_echo.py", "unknown-tool")]
        assert "which the package post does not have" in words(wb, "unknown-tool")


@pytest.mark.rule("D9")
async def test_from_outside_only_entry_agents_are_seen(tmp_path: Path, opened: OpenProject) -> None:
    side = 'side_a=PromptSide("desk", subagents=[Subagent("{}")])'
    root = write_files(tmp_path, DESK, package())
    async with opened(root) as wb:
        for name, codes in {
            "carrier": [],
            "post/carrier": [],
            "post/inner": [(AGENT, "not-visible")],
            "inner": [(AGENT, "unknown-agent")],
            "post/carier": [(AGENT, "unknown-agent")],
        }.items():
            write_files(root, {AGENT: agent(side.format(name))})
            await wb.settled()
            assert found(wb) == codes, name
        assert "Did you mean post/carrier?" in words(wb, "unknown-agent")


@pytest.mark.rule("D9")
async def test_a_package_uses_the_models_of_the_project_that_it_lacks(
    tmp_path: Path, opened: OpenProject
) -> None:
    root = write_files(tmp_path, DESK, package("@scope/post"))
    async with opened(root) as wb:
        assert found(wb) == []
        assert any(one.name == "@scope/post/carrier" for one in wb.listings())
        (root / "agents/models/offline.py").unlink()
        await wb.settled()
        assert ("agents/packed/@scope/post/prompts/desk.py", "unknown-model") in found(wb)


@pytest.mark.rule("D9")
async def test_a_package_that_shows_an_agent_it_does_not_have_is_told_so(
    tmp_path: Path, opened: OpenProject
) -> None:
    async with opened(write_files(tmp_path, DESK, package(entry=("carier",)))) as wb:
        assert found(wb) == [("agents/packed/post", "unknown-agent")]
        assert "Did you mean carrier?" in words(wb, "unknown-agent")


@pytest.mark.rule("D9")
async def test_a_tool_of_the_project_cannot_call_into_a_package(tmp_path: Path, opened: OpenProject) -> None:
    reaches = CALLS.replace('"echo"', '"post/echo"').replace("USES", "")
    async with opened(write_files(tmp_path, DESK, package(), {"agents/tools/reaches.py": reaches})) as wb:
        record = await wb.call_tool("reaches", {})
    assert record.is_error
    assert "There is no tool named post/echo" in str(record.result)


@pytest.mark.rule("D9")
async def test_a_package_installed_for_the_projects_python_is_found_and_runs(
    tmp_path: Path, opened: OpenProject
) -> None:
    venv.create(tmp_path / ".venv", with_pip=False, symlinks=True)
    (site,) = (tmp_path / ".venv/lib").glob("python3*/site-packages")
    files = {
        path.replace("agents/packed/post", "post_desk"): source
        for path, source in package().items()
        if not path.endswith("package.json")
    }
    info = {
        "post_desk-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: post-desk\nVersion: 1.0\n",
        "post_desk-1.0.dist-info/entry_points.txt": "[standardagent]\ncarrier = post_desk\n",
        "post_desk/words.py": 'PREFIX = "own: "\n',
    }
    own = ECHO.replace('args["text"]', 'PREFIX + args["text"]').replace(
        HEAD, HEAD + "from post_desk.words import PREFIX\n"
    )
    write_files(site, files, info, {"post_desk/tools/echo.py": own})
    async with opened(write_files(tmp_path, DESK)) as wb:
        assert found(wb) == []
        assert {one.file.package for one in wb.listings()} == {None, "post-desk"}
        record = await wb.call_tool("post-desk/calls_echo", {})
    assert record.result == "own: from the package"
