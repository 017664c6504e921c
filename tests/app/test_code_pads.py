"""Code pads: kept with the project whatever happens, run in the sandbox with the project's tools at hand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.app.projects import OpenProject, write_tool
from workbench.app import Notice, Workbench, open_workbench
from workbench.app.pads.contents import PadContent, PadFile
from workbench.app.pads.record import PadOutput, PadRecord
from workbench.app.pads.running import PadRun
from workbench.app.pads.tools import CallMode, exports_of
from workbench.base.errors import UsageError, UserError
from workbench.domain.calls import CallState, Origin
from workbench.domain.changes import Changes
from workbench.domain.variables import Scope, VariableType
from workbench.engine.approvals import BreakRule
from workbench.engine.doubles.vault import MemoryVault
from workbench.engine.ports import VaultState

SECONDS = 30

WAIT = """
from workbench import define_tool
import asyncio
async def execute(state):
    await asyncio.sleep(3600)
tool = define_tool(description="Waits.", execute=execute)
"""
REFUSE = """
from workbench import define_tool
def execute(state):
    raise ValueError("the drawer is stuck")
tool = define_tool(description="Refuses.", execute=execute)
"""


def code(text: str, *others: tuple[str, str], name: str = "main.ts") -> list[PadFile]:
    return [PadFile(name=name, text=text), *(PadFile(name=n, text=t) for n, t in others)]


async def ended(run: PadRun) -> tuple[PadRecord, list[PadOutput]]:
    """The record, with all that was told on the way."""
    told: list[PadOutput] = []
    async with asyncio.timeout(SECONDS):
        while True:
            news = await run.news()
            told += news.output
            if news.record is not None:
                return news.record, told


async def run(wb: Workbench, text: str, options: object = None, tools: Sequence[str] = ()) -> PadRecord:
    record, _ = await ended(await wb.code_pads.run(code(text), json.dumps(options or {}), tools))
    return record


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(SECONDS):
        while not holds():  # noqa: ASYNC110 – what the engine does sets no event of ours
            await asyncio.sleep(0.005)


# --- kept


async def test_a_pad_is_made_saved_named_and_deleted_and_views_are_told(
    opened: OpenProject, project: Path
) -> None:
    told: list[Changes] = []
    async with opened(project) as wb:
        wb.subscribe(on_changes=told.append)
        pads = wb.code_pads
        first, second = await pads.create(), await pads.create()
        assert [one.name for one in await pads.all()] == ["Pad 1", "Pad 2"]
        content = PadContent(files=tuple(code("report(1)", ("x.json", "[1]"))), tools=("echo",))
        await pads.save(first.id, content)
        assert await pads.rename(first.id, "  Shapes   of parcels ") == "Shapes of parcels"
        with pytest.raises(UserError, match="Another code pad is named"):
            await pads.rename(second.id, "Shapes of parcels")
        with pytest.raises(UserError, match="needs a name"):
            await pads.rename(second.id, " ")
        await pads.delete(second.id)
        with pytest.raises(UserError, match="not there any more"):
            await pads.open(second.id)
        assert sum(one.pads for one in told) == 5
    async with opened(project) as wb:
        (kept,) = await wb.code_pads.all()
        assert (kept.name, kept.is_saved, kept.has_draft) == ("Shapes of parcels", True, False)
        assert (await wb.code_pads.open(kept.id)).content == content


async def test_what_is_typed_is_there_again_until_it_is_saved_or_discarded(
    opened: OpenProject, project: Path
) -> None:
    typed = PadContent(files=tuple(code("// typed")), options={"text": {"timeLimit": "0.50"}})
    async with opened(project) as wb:
        pad = await wb.code_pads.create()
        await wb.code_pads.save(pad.id, PadContent(files=tuple(code("// saved"))))
        await wb.code_pads.keep_draft(pad.id, typed)
    async with opened(project) as wb:
        found = await wb.code_pads.open(pad.id)
        assert found.draft == typed
        assert found.info.has_draft
        assert found.saved is not None
        assert found.saved.files[0].text == "// saved"
        await wb.code_pads.discard(pad.id)
        assert (await wb.code_pads.open(pad.id)).content == found.saved
        await wb.code_pads.keep_draft(pad.id, typed)
        await wb.code_pads.save(pad.id, typed)
        (info,) = await wb.code_pads.all()
        assert not info.has_draft


async def test_a_pad_that_was_made_and_never_touched_goes_when_the_project_is_closed(
    opened: OpenProject, project: Path
) -> None:
    async with opened(project) as wb:
        pads = wb.code_pads
        untouched, typed, named, run, saved = [await pads.create() for _ in range(5)]
        await pads.keep_draft(typed.id, PadContent(files=tuple(code("// typed"))))
        await pads.rename(named.id, "Named")
        await ended(await pads.run(code("export default 1"), pad=run.id))
        await pads.save(saved.id, PadContent())
        assert untouched in await pads.all()
    async with opened(project) as wb:
        assert {one.id for one in await wb.code_pads.all()} == {typed.id, named.id, run.id, saved.id}


async def test_a_draft_of_a_pad_that_was_deleted_meanwhile_does_not_come_back(
    opened: OpenProject, project: Path
) -> None:
    async with opened(project) as wb:
        pad = await wb.code_pads.create()
        await wb.code_pads.keep_draft(pad.id, PadContent())
        await wb.code_pads.delete(pad.id)
        await wb.code_pads.keep_draft(pad.id, PadContent())
        assert await wb.code_pads.all() == ()
    assert not list((project / ".workbench").rglob(f"*{pad.id}*"))


@pytest.mark.rule("V6")
async def test_a_secret_in_a_pad_is_kept_as_its_mark(opened: OpenProject, project: Path) -> None:
    async with opened(project) as wb:
        await wb.variables.set("DESK_KEY", "correct-horse", Scope.INSTANCE, VariableType.SECRET)
        pad = await wb.code_pads.create()
        content = PadContent(files=tuple(code("const key = 'correct-horse'")))
        await wb.code_pads.keep_draft(pad.id, content)
        await wb.code_pads.save(pad.id, content)
        await wb.code_pads.keep_draft(pad.id, content)
    for file in (project / ".workbench").rglob("*.json"):
        assert b"correct-horse" not in file.read_bytes()


@pytest.mark.rule("V6")
async def test_a_secret_that_cannot_be_masked_in_a_pad_is_told_of(project: Path, tmp_path: Path) -> None:
    vault, notices = MemoryVault(), list[Notice]()
    async with open_workbench(project, data_dir=tmp_path, vault=vault) as wb:
        await wb.variables.set("DESK_KEY", "correct-horse", Scope.INSTANCE, VariableType.SECRET)
    vault.become(VaultState("locked", "The keyring is locked."))
    async with open_workbench(project, data_dir=tmp_path, vault=vault) as wb:
        wb.subscribe(on_notice=notices.append)
        pad = await wb.code_pads.create()
        await wb.code_pads.keep_draft(pad.id, PadContent())
        assert [one.message for one in notices] == ["DESK_KEY cannot be read now, so it is not masked."]


async def test_a_pad_that_cannot_be_read_hides_no_other(opened: OpenProject, project: Path) -> None:
    async with opened(project) as wb:
        bad, good = await wb.code_pads.create(), await wb.code_pads.create()
        (file,) = (project / ".workbench").rglob(f"{bad.id}.json")
        file.write_text("{")
        assert [one.id for one in await wb.code_pads.all()] == [good.id]
        with pytest.raises(UserError, match="cannot be read"):
            await wb.code_pads.open(bad.id)
        with pytest.raises(UserError, match="not the id"):
            await wb.code_pads.open("../secrets")


# --- running


@pytest.mark.rule("X1", "X2")
async def test_every_option_reaches_the_run(opened: OpenProject, project: Path) -> None:
    async with opened(project) as wb:
        files = code(
            "import { twice } from './lib.ts'; import rates from './rates.json'; import { base } from 'given';\n"
            "export const sum = (a: number, b: number) => twice(a) + b + base + big + rates.x;",
            ("lib.ts", "export const twice = (n: number) => n * 2"),
            ("rates.json", '{"x": 1000}'),
        )
        options = {
            "fn": "sum",
            "args": [2, 3],
            "imports": {"given": {"base": 10}},
            "globals": {"big": 100},
            "memoryLimitBytes": 1,
            "timeLimit": 20,
        }
        record, _ = await ended(await wb.code_pads.run(files, json.dumps(options)))
        assert (record.words, record.result_json) == ("Succeeded", "1117")
        assert record.memory_bytes > 0
        plain = code("export default () => { let n: number = 1 }")
        record, _ = await ended(await wb.code_pads.run(plain, '{"language": "javascript"}'))
        assert record.errors[0].name == "SyntaxError"
        assert (await run(wb, "report(1)")).result_json is None  # a pad needs no export


@pytest.mark.rule("X2")
@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("enum A { B }\n  const c: A = missing;", "Failed", ("main.ts", 2, 16)),
        ("let a = ;", "Failed", ("main.ts", 1, 9)),
        ("import './gone.ts'", "Failed", ("main.ts", 1, 8)),
        ("const f = () => f();\nf()", "Nested too deeply", ("main.ts", 1, 11)),
        ("await new Promise(() => {})", "Waits for ever", ("", 0, 0)),
    ],
)
async def test_how_it_ended_is_said_in_words_with_the_place_in_the_pad(
    opened: OpenProject, project: Path, text: str, words: str, place: tuple[str, int, int]
) -> None:
    async with opened(project) as wb:
        record = await run(wb, text)
        error = record.errors[0]
        assert record.words == words
        assert (error.file, error.line, error.column) == place


async def test_what_caused_an_error_is_told_after_it(opened: OpenProject, project: Path) -> None:
    async with opened(project) as wb:
        record = await run(
            wb, "throw new Error('outer', { cause: new TypeError('inner', { cause: new Error('core') }) })"
        )
        assert [error.message for error in record.errors] == ["outer", "inner", "core"]


@pytest.mark.rule("X1")
async def test_output_comes_while_the_code_runs_and_a_flood_waits_for_who_reads(
    opened: OpenProject, project: Path
) -> None:
    async with opened(project) as wb:
        pad = await wb.code_pads.run(
            code("for (let n = 0; ; n++) { console.warn('line', n); report({ n }) }")
        )
        seen: list[PadOutput] = []
        async with asyncio.timeout(SECONDS):
            while len(seen) < 2_000:
                news = await pad.news()
                assert len(news.output) <= 256
                seen += news.output
        assert seen[:2] == [
            PadOutput(level="warn", text="line 0"),
            PadOutput(level="report", text='{"n":0}'),
        ]
        pad.stop()
        record, _ = await ended(pad)
        assert record.words == "Stopped"
        assert record.errors[0].message == "You stopped it."
        assert record.output[0].text == "line 0"


@pytest.mark.rule("X1")
async def test_a_run_that_nobody_reads_is_stopped_by_its_time_limit(
    opened: OpenProject, project: Path
) -> None:
    async with opened(project) as wb:
        pad = await wb.code_pads.run(code("while (true) console.log('x')"), '{"timeLimit": 0.2}')
        async with asyncio.timeout(SECONDS):
            record = await pad.done()
        assert record.words == "Stopped"
        assert "longer than 0.2 s" in record.errors[0].message


async def test_closing_the_project_ends_what_runs(opened: OpenProject, project: Path) -> None:
    async with asyncio.timeout(SECONDS):
        async with opened(project) as wb:
            run = await wb.code_pads.run(code("while (true) console.log('x')"))
            assert wb.code_pads.running == 1
        assert (await run.done()).words == "Stopped"


@pytest.mark.rule("X3")
async def test_secrets_are_masked_in_all_that_a_run_tells(opened: OpenProject, project: Path) -> None:
    async with opened(project) as wb:
        await wb.variables.set("DESK_KEY", "correct-horse", Scope.INSTANCE, VariableType.SECRET)
        secret = "const s = ['correct', 'horse'].join('-');"
        for rest in (
            "console.log(s); report(s); export default () => ({ s })",
            "throw new Error(s, { cause: s })",
        ):
            record, told = await ended(await wb.code_pads.run(code(secret + rest)))
            assert "correct-horse" not in record.model_dump_json() + repr(told)
            assert "DESK_KEY" in record.model_dump_json()


async def test_the_last_run_is_kept_with_its_pad(opened: OpenProject, project: Path) -> None:
    async with opened(project) as wb:
        pad = await wb.code_pads.create()
        assert await wb.code_pads.record(pad.id) is None
        run = await wb.code_pads.run(code("console.log('hi'); export default 42"), pad=pad.id)
        record, _ = await ended(run)
        await until(lambda: not wb.code_pads.running)
    async with opened(project) as wb:
        assert await wb.code_pads.record(pad.id) == record


async def test_what_an_error_of_many_holds_and_what_caused_it_are_kept_with_it(
    opened: OpenProject, project: Path
) -> None:
    async with opened(project) as wb:
        record = await run(
            wb,
            "throw new AggregateError([new TypeError('a'), new RangeError('b', { cause: new Error('c') })], 'all');",
        )
    assert [(error.name, error.message, error.line) for error in record.errors] == [
        ("AggregateError", "all", 1),
        ("TypeError", "a", 1),
        ("RangeError", "b", 1),
        ("Error", "c", 1),
    ]


async def test_options_with_a_number_that_would_be_rounded_are_refused(
    opened: OpenProject, project: Path
) -> None:
    async with opened(project) as wb:
        given = {"args": [2**53, 1.5]}
        source = "export default (...all: unknown[]) => all.map((one) => typeof one)"
        assert (await run(wb, source, given)).result_json == '["number","number"]'
        with pytest.raises(UsageError, match=r"options\.args\[0\] is a whole number beyond 2\^53"):
            await run(wb, source, {"args": [2**53 + 1]})


# --- the project's tools


async def test_a_tool_is_called_as_a_real_call_of_the_bench(opened: OpenProject, project: Path) -> None:
    async with opened(project) as wb:
        assert [tool.name for tool in wb.code_pads.tools()] == ["echo"]
        record = await run(
            wb,
            "import { echo } from 'tools';\n"
            "export default async () => (await echo({ text: 'hello', n: 2n ** 60n })).echo.text;",
            tools=["echo"],
        )
        assert record.result_json == '"hello"'
        (row,) = (await wb.calls()).rows
        call = await wb.call(row.id)
        assert (call.origin, call.state) == (Origin.CODE, CallState.SUCCEEDED)
        assert json.loads(call.arguments) == {"text": "hello", "n": 2**60}


async def test_a_tool_that_fails_or_is_called_wrongly_throws_at_the_line_of_the_call(
    opened: OpenProject, project: Path
) -> None:
    write_tool(project, "refuse", REFUSE)
    async with opened(project) as wb:
        head = "import { refuse, echo } from 'tools';\n"
        tools = ["refuse", "echo"]
        record = await run(wb, head + "export default async () => {\n  await refuse();\n}", tools=tools)
        error = record.errors[0]
        assert error.name == "tool_error"
        assert "the drawer is stuck" in error.message
        assert (error.file, error.line) == ("main.ts", 3)
        record = await run(wb, head + "export default () => echo({ text: 7 })", tools=tools)
        assert record.errors[0].name == "invalid_arguments"
        record = await run(wb, head + "export default () => echo('hello')", tools=tools)
        assert "takes one object" in record.errors[0].message
        record = await run(wb, "import { gone } from 'tools'; gone()", tools=tools)
        assert record.errors[0].name == "SyntaxError"
        with pytest.raises(UserError, match="that of the project's tools"):
            await run(wb, "", {"imports": {"tools": {}}}, tools)


@pytest.mark.rule("C10")
async def test_in_a_dry_run_the_code_gets_stand_ins(opened: OpenProject, project: Path) -> None:
    async with opened(project) as wb:
        text = "import { echo } from 'tools'; export default () => echo({ text: 'a' })"
        pad = await wb.code_pads.run(code(text), tools=["echo"], calls=CallMode(dry_run=True))
        record, _ = await ended(pad)
        assert record.is_ok
        (row,) = (await wb.calls()).rows
        assert (await wb.call(row.id)).stubbed


@pytest.mark.rule("C13")
async def test_stopping_the_code_stops_the_tools_it_waits_for(opened: OpenProject, project: Path) -> None:
    write_tool(project, "wait", WAIT)
    async with opened(project) as wb:
        text = "import { wait } from 'tools'; export default () => Promise.all([wait(), wait()])"
        pad = await wb.code_pads.run(code(text), tools=["wait"])
        await until(lambda: sum(call.state is CallState.RUNNING for call in wb.live_calls()) == 2)
        await wb.stop_all()
        record, _ = await ended(pad)
        assert record.words == "Stopped"
        await until(lambda: not wb.live_calls())
        assert [row.state for row in (await wb.calls()).rows] == [CallState.STOPPED] * 2


@pytest.mark.rule("C12")
async def test_a_tool_that_asks_waits_for_its_person(opened: OpenProject, project: Path) -> None:
    async with opened(project) as wb:
        await wb.break_rules.set((BreakRule(tool="echo"),))
        pad = await wb.code_pads.run(
            code("import * as tools from 'tools'; export default () => tools.echo({ text: 'a' })"),
            tools=["echo"],
            calls=CallMode(person_attached=True),
        )
        await until(lambda: [one.state for one in wb.live_calls()] == [CallState.WAITING_FOR_APPROVAL])
        await wb.decide(wb.live_calls()[0].id, "reject", reason="not today")
        record, _ = await ended(pad)
        assert "not today" in record.errors[0].message


def test_any_name_of_a_tool_becomes_a_name_of_javascript() -> None:
    names = ["delete", "a-b", "a.b", "7up", "plain", "srv/tool"]
    exports = ["delete_", "a_b", "a_b_", "_7up", "plain", "srv_tool"]
    assert dict(exports_of(names)) == dict(zip(exports, names, strict=True))
