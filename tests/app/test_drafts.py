"""What was typed and not run is there again when the project is opened again, and holds no secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.app import open_workbench
from workbench.base.errors import UserError
from workbench.domain.variables import Scope, VariableType
from workbench.engine.doubles.vault import MemoryVault

SECRET = "sk-live-0123456789"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "agents" / "tools").mkdir(parents=True)
    return root


async def test_a_draft_outlives_the_project_being_closed(project: Path, tmp_path: Path) -> None:
    async with open_workbench(project, data_dir=tmp_path, vault=MemoryVault()) as wb:
        assert await wb.draft("convert") is None
        await wb.keep_draft("convert", {"version": 1, "root": {"text": "12,5o"}})
    async with open_workbench(project, data_dir=tmp_path, vault=MemoryVault()) as wb:
        assert await wb.draft("convert") == {"version": 1, "root": {"text": "12,5o"}}


@pytest.mark.rule("V6")
async def test_a_draft_on_disk_holds_a_mark_in_the_place_of_a_secret(project: Path, tmp_path: Path) -> None:
    async with open_workbench(project, data_dir=tmp_path, vault=MemoryVault()) as wb:
        await wb.set_variable("KEY", SECRET, Scope.INSTANCE, VariableType.SECRET)
        await wb.keep_draft("send", {"root": {"text": f"Bearer {SECRET}"}})
        draft = await wb.draft("send")
    assert draft == {"root": {"text": "Bearer [[secret:KEY]]"}}
    written = [path for path in project.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert written == []


async def test_a_damaged_draft_is_no_draft(project: Path, tmp_path: Path) -> None:
    async with open_workbench(project, data_dir=tmp_path, vault=MemoryVault()) as wb:
        await wb.keep_draft("convert", {"root": {}})
        (project / ".workbench" / "drafts" / "convert.json").write_text('{"root": ')
        assert await wb.draft("convert") is None


@pytest.mark.parametrize("name", ["../escaped", "..", "a/b", "", "a\0b", "/etc/passwd"])
async def test_a_draft_is_kept_under_the_name_of_a_tool_and_nothing_else(
    project: Path, tmp_path: Path, name: str
) -> None:
    async with open_workbench(project, data_dir=tmp_path / "person", vault=MemoryVault()) as wb:
        before = sorted(tmp_path.rglob("*.json"))
        with pytest.raises(UserError, match="is not the name of a tool"):
            await wb.keep_draft(name, {"root": {}})
        with pytest.raises(UserError, match="is not the name of a tool"):
            await wb.draft(name)
        assert sorted(tmp_path.rglob("*.json")) == before
