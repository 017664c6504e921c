"""What was typed and not run is there again when the project is opened again, and holds no secret."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from workbench.app import open_workbench
from workbench.app.notices import Notice
from workbench.base.errors import UserError
from workbench.domain.variables import Place, Scope, VariableType
from workbench.engine.doubles.vault import MemoryVault
from workbench.engine.ports import SecretKey, VaultState

SECRET = "sk-live-0123456789"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "agents" / "tools").mkdir(parents=True)
    return root


async def test_a_draft_outlives_the_project_being_closed(project: Path, tmp_path: Path) -> None:
    async with open_workbench(project, data_dir=tmp_path, vault=MemoryVault()) as wb:
        assert await wb.drafts.read("convert") is None
        await wb.drafts.keep("convert", {"version": 1, "root": {"text": "12,5o"}})
    async with open_workbench(project, data_dir=tmp_path, vault=MemoryVault()) as wb:
        assert await wb.drafts.read("convert") == {"version": 1, "root": {"text": "12,5o"}}


@pytest.mark.rule("V6")
async def test_a_draft_on_disk_holds_a_mark_in_the_place_of_a_secret(project: Path, tmp_path: Path) -> None:
    async with open_workbench(project, data_dir=tmp_path, vault=MemoryVault()) as wb:
        await wb.variables.set("KEY", SECRET, Scope.INSTANCE, VariableType.SECRET)
        await wb.drafts.keep("send", {"root": {"text": f"Bearer {SECRET}"}})
        draft = await wb.drafts.read("send")
    assert draft == {"root": {"text": "Bearer [[secret:KEY]]"}}
    written = [path for path in project.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert written == []


class SlowVault(MemoryVault):
    """A keyring that waits for its owner before it hands out a secret."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.answers = asyncio.Event()

    async def get(self, key: SecretKey) -> tuple[str, Place] | None:
        self.asked.set()
        await self.answers.wait()
        return await super().get(key)


@pytest.fixture
async def vault(project: Path, tmp_path: Path) -> SlowVault:
    """Holds a secret of the project that nobody has read since."""
    vault = SlowVault()
    async with open_workbench(project, data_dir=tmp_path, vault=vault) as wb:
        await wb.variables.set("KEY", SECRET, Scope.INSTANCE, VariableType.SECRET)
    return vault


async def test_the_newest_draft_is_answered_while_it_waits_to_be_written(
    project: Path, tmp_path: Path, vault: SlowVault
) -> None:
    newest = {"root": {"text": "two"}}
    async with open_workbench(project, data_dir=tmp_path, vault=vault, load=False) as wb:
        keeps = [asyncio.ensure_future(wb.drafts.keep("convert", {"root": {"text": "one"}}))]
        keeps.append(asyncio.ensure_future(wb.drafts.keep("convert", newest)))
        await vault.asked.wait()
        assert await wb.drafts.read("convert") == newest
        vault.answers.set()
        await asyncio.gather(*keeps)
        assert await wb.drafts.read("convert") == newest
    async with open_workbench(project, data_dir=tmp_path, vault=vault) as wb:
        assert await wb.drafts.read("convert") == newest


async def test_a_draft_that_waits_for_the_keyring_is_kept_when_the_project_closes(
    project: Path, tmp_path: Path, vault: SlowVault
) -> None:
    async with open_workbench(project, data_dir=tmp_path, vault=vault, load=False) as wb:
        keep = asyncio.ensure_future(wb.drafts.keep("convert", {"root": {"text": "typed"}}))
        await vault.asked.wait()
        keep.cancel()
    vault.answers.set()
    async with open_workbench(project, data_dir=tmp_path, vault=vault) as wb:
        assert await wb.drafts.read("convert") == {"root": {"text": "typed"}}


@pytest.mark.rule("V6")
async def test_a_secret_that_cannot_be_read_is_told_of_as_not_masked_until_it_can(
    project: Path, tmp_path: Path
) -> None:
    vault = MemoryVault()
    async with open_workbench(project, data_dir=tmp_path, vault=vault) as wb:
        await wb.variables.set("KEY", SECRET, Scope.INSTANCE, VariableType.SECRET)
    vault.become(VaultState("locked", "The keyring is locked."))
    notices: list[Notice] = []
    async with open_workbench(project, data_dir=tmp_path, vault=vault) as wb:
        wb.subscribe(on_notice=notices.append)
        assert await wb.inputs.not_masked() == ("KEY",)
        for text in ("one", "two"):
            await wb.drafts.keep("convert", {"root": {"text": text}})
        assert [each.message for each in notices] == ["KEY cannot be read now, so it is not masked."]
        vault.become(VaultState("ready", "It is open."))
        await wb.drafts.keep("convert", {"root": {"text": SECRET}})
        assert [each.level for each in notices] == ["warning", "info"]
        assert await wb.inputs.not_masked() == ()
        later: list[Notice] = []
        wb.subscribe(on_notice=later.append)
        assert later == []


async def test_a_long_text_of_a_draft_is_written_once_and_goes_with_it(project: Path, tmp_path: Path) -> None:
    folder = project / ".workbench" / "drafts"
    file = "QUJD" * 100_000

    def parts() -> list[tuple[str, int]]:
        return [(part.name, part.stat().st_ino) for part in folder.glob("*.part")]

    async with open_workbench(project, data_dir=tmp_path, vault=MemoryVault()) as wb:
        await wb.drafts.keep("send", {"root": {"file": {"text": file}, "name": "A"}})
        first = parts()
        await wb.drafts.keep("send", {"root": {"file": {"text": file}, "name": "B"}})
        assert parts() == first
        assert len(first) == 1
        assert (folder / "send.json").stat().st_size < 1_000
    async with open_workbench(project, data_dir=tmp_path, vault=MemoryVault()) as wb:
        draft = {"root": {"file": {"text": file}, "name": "B"}}
        assert await wb.drafts.read("send") == draft
        await wb.variables.set("KEY", SECRET, Scope.INSTANCE, VariableType.SECRET)
        await wb.drafts.keep("send", {"root": {"text": SECRET + "-" * 100_000}})
        assert await wb.drafts.read("send") == {"root": {"text": "[[secret:KEY]]" + "-" * 100_000}}
        assert len(parts()) == 1
        await wb.drafts.keep("send", {"root": {}})
        assert parts() == []


async def test_a_damaged_draft_is_no_draft(project: Path, tmp_path: Path) -> None:
    async with open_workbench(project, data_dir=tmp_path, vault=MemoryVault()) as wb:
        await wb.drafts.keep("convert", {"root": {}})
        (project / ".workbench" / "drafts" / "convert.json").write_text('{"root": ')
        assert await wb.drafts.read("convert") is None


@pytest.mark.parametrize("name", ["../escaped", "..", "a/b", "", "a\0b", "/etc/passwd"])
async def test_a_draft_is_kept_under_the_name_of_a_tool_and_nothing_else(
    project: Path, tmp_path: Path, name: str
) -> None:
    async with open_workbench(project, data_dir=tmp_path / "person", vault=MemoryVault()) as wb:
        before = sorted(tmp_path.rglob("*.json"))
        with pytest.raises(UserError, match="is not the name of a tool"):
            await wb.drafts.keep(name, {"root": {}})
        with pytest.raises(UserError, match="is not the name of a tool"):
            await wb.drafts.read(name)
        assert sorted(tmp_path.rglob("*.json")) == before
