"""What TypeScript files were found to define is at hand when they are loaded again, and never when it is another."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from tests.sandbox.typescript_folder import TypescriptFolder
from workbench.domain.definitions import DefinitionFile
from workbench.sandbox import Sandbox
from workbench.sandbox.typescript_host import TypescriptHost

BEFORE = "import { words } from '../../lib/words';\nimport { n } from 'part';"
FIELDS = "annotations: {{ is: {}, run: 0 }}, execute: async () => 'x'"


class Project:
    """One tool that uses a helper and a package; each load is by a host of its own, as when a project is opened."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.kept = root / ".workbench" / "typescript.json"
        self.folder = TypescriptFolder(root)
        self.write("lib/words.ts", "export const words: string = 'first';")
        self.write("node_modules/part/index.js", "exports.n = 1;")
        self.file = self.tool("words + n")
        self.runs = 0

    def write(self, path: str, text: str) -> None:
        self.folder.write(path, text)

    def tool(self, described: str) -> DefinitionFile:
        self.file = self.folder.tool("reads", FIELDS.format(described), before=BEFORE)
        return self.file

    async def loaded(self, *, keeps: bool = True) -> tuple[str, int]:
        """What the tool says, and the number of its run; words of what is wrong instead."""
        sandbox = Sandbox()
        host = TypescriptHost(self.root, sandbox, kept=self.kept, keeps=keeps)
        (loaded,) = [item async for item in host.load([self.file])]
        await host.close()
        await sandbox.close()
        if loaded.raw is None:
            return loaded.problems[0].message, 0
        assert {"agents/tools/reads.ts", "lib/words.ts"} <= set(loaded.depends_on)
        told = cast("dict[str, dict[str, Any]]", loaded.raw["fields"])["annotations"]
        return str(told["is"]), told["run"] or self._numbered()

    def _numbered(self) -> int:
        """The file was run: what is kept of that is given a number, so that it is known again."""
        self.runs += 1
        if self.kept.exists():
            kept = json.loads(self.kept.read_text("utf-8"))
            if (entry := kept["files"].get(self.file.path)) is not None:
                entry["loaded"]["raw"]["fields"]["annotations"]["run"] = self.runs
                self.kept.write_text(json.dumps(kept))
        return self.runs


@pytest.fixture
async def project(tmp_path: Path) -> AsyncIterator[Project]:
    made = Project(tmp_path / "project")
    yield made
    await made.folder.close()


async def test_a_file_of_which_nothing_changed_is_not_run_again(project: Project) -> None:
    first = await project.loaded()

    assert first[0] == "first1"
    assert await project.loaded() == first


CHANGES: dict[str, tuple[Callable[[Project], object], str]] = {
    "itself": (lambda project: project.tool("words + n + '!'"), "first1!"),
    "a helper": (lambda project: project.write("lib/words.ts", "export const words = 'second';"), "second1"),
    "a file in the helper's place": (
        lambda project: project.write("lib/words.mts", "export const words = 'never';"), "first1",
    ),
    "a package": (lambda project: project.write("node_modules/part/index.js", "exports.n = 2;"), "first2"),
    "where a package is entered": (
        lambda project: (
            project.write("node_modules/part/package.json", '{"main": "other.js"}'),
            project.write("node_modules/part/other.js", "exports.n = 3;"),
        ),
        "first3",
    ),
    "where tsconfig leads": (
        lambda project: (
            project.write("tsconfig.json", '{"compilerOptions": {"paths": {"part": ["./node_modules/x.js"]}}}'),
            project.write("node_modules/x.js", "exports.n = 6;"),
        ),
        "first6",
    ),
    "a package nearer to it": (
        lambda project: project.write("agents/node_modules/part/index.js", "exports.n = 4;"), "first4",
    ),
    "how a package is read": (
        lambda project: (
            project.write("node_modules/part/package.json", '{"type": "module"}'),
            project.write("node_modules/part/index.js", "export const n = 5;"),
        ),
        "first5",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "asked",
    [
        "new Date().getFullYear()",
        "Date()",
        "Date.now()",
        "Math.random()",
        "crypto.randomUUID()",
        "performance.now()",
    ],
)
async def test_what_a_file_makes_of_the_clock_or_of_chance_is_made_anew(project: Project, asked: str) -> None:
    project.tool(f"typeof ({asked}) + words")

    first = await project.loaded()

    assert first[0].endswith("first")
    assert (await project.loaded())[1] != first[1]


async def test_a_date_that_is_given_is_as_good_as_any_other_value(project: Project) -> None:
    project.tool("String(new Date(0).constructor === Date && new Date(0) instanceof Date) + words")

    first = await project.loaded()

    assert first[0] == "truefirst"
    assert await project.loaded() == first


@pytest.mark.parametrize(("change", "now"), CHANGES.values(), ids=CHANGES.keys())
async def test_whatever_it_is_made_of_changes_it_is_what_it_is_now(
    project: Project, change: Callable[[Project], object], now: str
) -> None:
    await project.loaded()
    change(project)

    assert (await project.loaded())[0] == now


async def test_a_file_that_came_to_fail_says_so_and_is_found_again_once_it_is_mended(
    project: Project,
) -> None:
    first = await project.loaded()
    (project.root / "lib/words.ts").unlink()
    assert "there is no such file" in (await project.loaded())[0]

    project.write("lib/words.ts", "export const words: string = 'first';")

    assert await project.loaded() == first


@pytest.mark.rule("H5")
async def test_who_only_looks_writes_nothing_and_reads_what_is_there(project: Project) -> None:
    await project.loaded(keeps=False)
    assert not project.kept.exists()

    first = await project.loaded()

    assert await project.loaded(keeps=False) == first


@pytest.mark.parametrize("text", ["", "[]", "{", '{"madeBy": 1}', "\0"])
async def test_what_is_kept_may_be_damaged(project: Project, text: str) -> None:
    await project.loaded()
    project.kept.write_text(text)

    assert (await project.loaded())[0] == "first1"


async def test_what_another_program_made_is_not_believed(project: Project) -> None:
    first = await project.loaded()
    kept = json.loads(project.kept.read_text("utf-8"))
    project.kept.write_text(json.dumps({**kept, "madeBy": "another"}))

    again = await project.loaded()

    assert (again[0], again[1] == first[1]) == ("first1", False)


async def test_an_entry_that_is_damaged_costs_only_itself(project: Project) -> None:
    await project.loaded()
    kept = json.loads(project.kept.read_text("utf-8"))
    kept["files"]["agents/tools/reads.ts"]["loaded"] = {"raw": 7}
    project.kept.write_text(json.dumps(kept))

    assert (await project.loaded())[0] == "first1"


async def test_what_is_kept_of_a_file_that_is_gone_goes(project: Project) -> None:
    await project.loaded()
    other = project.folder.tool("other", "execute: async () => 'x'")
    (project.root / project.file.path).unlink()
    host = TypescriptHost(project.root, project.folder.sandbox, kept=project.kept)
    assert [item.file.name async for item in host.load([other])] == ["other"]
    await host.close()

    assert list(json.loads(project.kept.read_text("utf-8"))["files"]) == ["agents/tools/other.ts"]
