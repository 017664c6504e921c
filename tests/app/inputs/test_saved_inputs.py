"""Inputs that are kept under a name, per project and tool, without a secret in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.projects import OpenProject
from workbench.app.inputs.saved import NameTaken
from workbench.base.errors import UserError


async def test_a_saved_input_is_there_again_when_the_project_is_opened_again(
    project: Path, opened: OpenProject
) -> None:
    exact = '{"text": "a", "price": 1.50, "id": 12345678901234567890123}'
    async with opened(project) as wb:
        await wb.inputs.save("echo", "  a   price ", exact)
        await wb.inputs.save("echo", "Zero", "{}")
    async with opened(project) as wb:
        saved = await wb.inputs.saved("echo")
        assert [one.name for one in saved] == ["a price", "Zero"]
        assert saved[0].arguments == '{"text":"a","price":1.50,"id":12345678901234567890123}'
        assert await wb.inputs.saved("other") == ()


async def test_a_name_in_use_is_overwritten_only_when_that_is_asked_for(
    project: Path, opened: OpenProject
) -> None:
    async with opened(project) as wb:
        await wb.inputs.save("echo", "one", '{"text": "a"}')
        with pytest.raises(NameTaken, match="one is already saved"):
            await wb.inputs.save("echo", "one", '{"text": "b"}')
        assert (await wb.inputs.saved("echo"))[0].arguments == '{"text":"a"}'
        await wb.inputs.save("echo", "one", '{"text": "b"}', overwrite=True)
        assert [one.arguments for one in await wb.inputs.saved("echo")] == ['{"text":"b"}']


async def test_saved_inputs_are_renamed_and_deleted(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        await wb.inputs.save("echo", "one", '{"text": "1"}')
        await wb.inputs.save("echo", "two", '{"text": "2"}')
        with pytest.raises(NameTaken):
            await wb.inputs.rename("echo", "one", "two")
        await wb.inputs.rename("echo", "one", "three")
        assert [(one.name, one.arguments) for one in await wb.inputs.saved("echo")] == [
            ("three", '{"text":"1"}'),
            ("two", '{"text":"2"}'),
        ]
        await wb.inputs.delete("echo", "two")
        await wb.inputs.delete("echo", "three")
        assert await wb.inputs.saved("echo") == ()
        with pytest.raises(UserError, match="not there any more"):
            await wb.inputs.delete("echo", "two")
    assert not (project / ".workbench" / "inputs" / "echo.json").exists()


@pytest.mark.parametrize("name", ["", "  \n ", "x" * 81])
async def test_a_name_that_nobody_could_read_is_refused(
    project: Path, opened: OpenProject, name: str
) -> None:
    async with opened(project) as wb:
        with pytest.raises(UserError):
            await wb.inputs.save("echo", name, "{}")


@pytest.mark.rule("V6")
async def test_a_secret_in_a_saved_input_is_a_mark_in_the_file_and_itself_again_when_it_is_sent(
    project: Path, opened: OpenProject
) -> None:
    async with opened(project) as wb:
        await wb.variables.set("TOKEN", "hunter2-and-more")
        await wb.inputs.save("echo", "with a token", '{"text": "Bearer hunter2-and-more"}')
        (saved,) = await wb.inputs.saved("echo")
        assert saved.arguments == '{"text":"Bearer [[secret:TOKEN]]"}'
        assert "hunter2" not in (project / ".workbench" / "inputs" / "echo.json").read_text()
        assert wb.inputs.applying("echo", saved.arguments).marks == ("TOKEN",)
        await wb.variables.set("TOKEN", "another-one-entirely")
        record = await wb.call_tool("echo", saved.arguments)
        assert record.result_json == '{"echo":{"text":"Bearer [[secret:TOKEN]]"}}'


async def test_a_file_that_cannot_be_read_is_told_and_never_written_over(
    project: Path, opened: OpenProject
) -> None:
    file = project / ".workbench" / "inputs" / "echo.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"version": 1, "inputs": [{"name": "cut o')
    async with opened(project) as wb:
        with pytest.raises(UserError, match="cannot be read") as raised:
            await wb.inputs.saved("echo")
        assert str(file) in raised.value.hint
        with pytest.raises(UserError, match="cannot be read"):
            await wb.inputs.save("echo", "one", "{}")
    assert file.read_text().endswith("cut o")


async def test_what_cannot_be_a_tools_name_leads_to_no_file(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        with pytest.raises(UserError, match="not the name of a tool"):
            await wb.inputs.save("../../elsewhere", "one", "{}")
        with pytest.raises(UserError, match="cannot be saved"):
            await wb.inputs.save("echo", "one", "[1]")
