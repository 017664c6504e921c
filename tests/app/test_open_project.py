"""An open project: its tools can be called, its history outlives it, its files are followed."""

from __future__ import annotations

import asyncio
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.projects import ECHO, OpenProject, write_tool
from workbench.app import CallRefused, Notice, Workbench, open_workbench
from workbench.app.variables.env_file import Fate
from workbench.base.errors import UserError
from workbench.domain.calls import CallState
from workbench.domain.definitions import Severity
from workbench.domain.pages import CallFilter
from workbench.domain.variables import Place, Scope, VariableType


async def until(wb: Workbench, condition: Callable[[], bool]) -> None:
    """Return when a change of the project made the condition true; fails after half a minute."""
    changed = asyncio.Event()
    stop = wb.subscribe(on_changes=lambda _: changed.set())
    try:
        async with asyncio.timeout(30):
            while not condition():
                await changed.wait()
                changed.clear()
    finally:
        stop()


def codes(wb: Workbench, name: str) -> set[str]:
    return {
        item.code
        for listing in wb.listings()
        if listing.name == name
        for item in listing.diagnostics
        if item.severity is not Severity.INFO
    }


@pytest.mark.rule("H3")
async def test_a_tool_is_called_and_gives_its_record(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        record = await wb.call_tool("echo", {"text": "hello"})
    assert record.result == {"echo": {"text": "hello"}}
    assert (record.tool_name, record.is_error, record.failure) == ("echo", False, None)
    assert record.call_id.startswith("tool_echo_")


@pytest.mark.rule("H3")
@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"name": "ecko"}, "unknown_tool"),
        ({"input": {"text": 1}}, "invalid_tool_input"),
        ({"session_id": "nobody"}, "session_not_found"),
        ({"continuation_token": "without-a-key"}, "invalid_continuation_token"),
    ],
)
async def test_a_call_that_is_not_served_is_refused_with_its_code(
    project: Path, opened: OpenProject, options: dict[str, object], code: str
) -> None:
    async with opened(project) as wb:
        with pytest.raises(CallRefused) as refusal:
            await wb.call_tool(**{"name": "echo", "input": {"text": "a"}, **options})  # pyright: ignore[reportArgumentType]
    assert refusal.value.code == code


async def test_the_history_is_there_when_the_project_opens_again(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        record = await wb.call_tool("echo", {"text": "needle in the history"})
    async with opened(project) as wb:
        page = await wb.calls(CallFilter(text="needle"))
        assert [row.id for row in page.rows] == [record.call_id]
        assert (await wb.call(page.rows[0].id)).state is CallState.SUCCEEDED


async def test_manual_calls_share_one_bench_thread(project: Path, opened: OpenProject) -> None:
    threads: set[str] = set()
    for _ in range(2):
        async with opened(project) as wb:
            record = await wb.call_tool("echo", {"text": "a"})
            (call,) = [row for row in (await wb.calls()).rows if row.id == record.call_id]
            threads.add(call.thread_id)
    assert len(threads) == 1


async def test_a_project_may_be_named_by_a_text(project: Path, tmp_path: Path) -> None:
    async with open_workbench(str(project), read_only=True, load=False, data_dir=tmp_path / "person") as wb:
        assert wb.project.root == project


async def test_a_bad_file_is_listed_with_its_reason_and_hides_nobody(
    project: Path, opened: OpenProject
) -> None:
    write_tool(project, "broken", "def (:\n")
    async with opened(project) as wb:
        assert codes(wb, "broken") == {"syntax-error"}
        assert not (await wb.call_tool("echo", {"text": "a"})).is_error
        with pytest.raises(CallRefused, match="cannot be called"):
            await wb.call_tool("broken", {})


async def test_an_edited_tool_is_called_as_it_is_now(project: Path, opened: OpenProject) -> None:
    async with opened(project, watch=True) as wb:
        await until(wb, lambda: any(listing.callable for listing in wb.listings()))
        write_tool(
            project, "echo", ECHO.replace("Give back what was sent.", "Changed.").replace("echo", "new")
        )
        await until(wb, lambda: wb.listings()[0].description == "Changed.")
        record = await wb.call_tool("echo", {"text": "a"})
    assert record.result == {"new": {"text": "a"}}


async def test_a_changed_helper_module_reloads_the_tools_that_use_it(
    project: Path, opened: OpenProject
) -> None:
    helper = project / "agents" / "words.py"
    helper.write_text('TEXT = "before"\n')
    source = ECHO.replace("from workbench", "from agents.words import TEXT\nfrom workbench")
    write_tool(project, "user", source.replace('"Give back what was sent."', "TEXT"))
    async with opened(project, watch=True) as wb:
        await until(wb, lambda: any(listing.description == "before" for listing in wb.listings()))
        helper.write_text('TEXT = "after"\n')
        await until(wb, lambda: any(listing.description == "after" for listing in wb.listings()))


async def test_a_file_that_goes_takes_its_tool_with_it(project: Path, opened: OpenProject) -> None:
    extra = write_tool(project, "extra", ECHO)
    async with opened(project, watch=True) as wb:
        await until(
            wb, lambda: {listing.name for listing in wb.listings() if listing.callable} == {"echo", "extra"}
        )
        extra.unlink()
        await until(wb, lambda: {listing.name for listing in wb.listings()} == {"echo"})


@pytest.mark.rule("H5")
async def test_looking_at_a_project_makes_nothing_in_it(project: Path, opened: OpenProject) -> None:
    before = sorted(project.rglob("*"))
    async with opened(project, read_only=True) as wb:
        assert wb.listings()[0].callable
    assert sorted(project.rglob("*")) == before


@pytest.mark.rule("H6")
async def test_a_bad_setting_never_stops_the_start(project: Path, opened: OpenProject) -> None:
    (project / "workbench.toml").write_text('nam = "x"\n[server]\nport = "many"\n')
    async with opened(project) as wb:
        found = {(item.code, item.line) for item in wb.diagnostics() if item.path == "workbench.toml"}
        assert not (await wb.call_tool("echo", {"text": "a"})).is_error
    assert found == {("settings-unknown-key", 1), ("settings-bad-value", 3)}


@pytest.mark.rule("V4")
async def test_a_secret_is_nowhere_in_the_project_folder(project: Path, opened: OpenProject) -> None:
    secret = "hunter2-and-more"
    write_tool(
        project,
        "leak",
        """
import base64, sys
from urllib.parse import quote
from workbench import Variable, define_tool

async def execute(state, args):
    value = await state.env("TOKEN")
    print(value)
    print(base64.b64encode(value.encode()).decode(), quote(value), file=sys.stderr)
    state.emit("found", {"value": value})
    await state.set_value("kept", value)
    await state.inject_message({"role": "user", "content": value})
    if args.get("raise"):
        raise RuntimeError(value)
    return {"value": value}

tool = define_tool(description="Leaks.", args={"type": "object", "properties": {"raise": {"type": "boolean"}}},
                   execute=execute, variables=[Variable(name="TOKEN", type="secret", required=True)])
""",
    )
    async with opened(project) as wb:
        await wb.variables.set("TOKEN", secret)
        kept = await wb.call_tool("leak", {})
        raised = await wb.call_tool("leak", {"raise": True})
        lines = await wb.variables.lines()
    assert "[[secret:TOKEN]]" in kept.result_json
    assert "[[secret:TOKEN]]" in raised.result_json
    assert secret not in repr(lines)
    files = [path for path in project.rglob("*") if path.is_file()]
    assert [path for path in files if secret.encode() in path.read_bytes()] == []


@pytest.mark.rule("V1", "V3")
async def test_the_variables_table_says_where_each_value_comes_from(
    project: Path, opened: OpenProject
) -> None:
    write_tool(
        project,
        "asks",
        ECHO.replace(
            "execute=execute,",
            'execute=execute, variables=[Variable(name="SITE", type="text", '
            'required=True, description="Which site")],',
        ).replace("import define_tool", "import Variable, define_tool"),
    )
    async with opened(project) as wb:
        (line,) = await wb.variables.lines()
        assert (line.name, line.missing, line.required_by) == ("SITE", True, ("asks",))
        await wb.variables.set("SITE", "one", Scope.INSTANCE)
        await wb.variables.set("SITE", "two", Scope.ACCOUNT)
        (line,) = await wb.variables.lines()
        assert (line.type, line.value, line.scope) == (VariableType.TEXT, "two", Scope.ACCOUNT)
        assert line.overrides == (Scope.INSTANCE,)
        assert await wb.variables.unset("SITE", Scope.ACCOUNT)
        assert (await wb.variables.lines())[0].value == "one"


async def test_an_env_file_is_imported_whole_or_not_at_all(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        with pytest.raises(UserError, match="Line 2"):
            await wb.variables.import_env("A=1\nnot a line at = all \" ' \n")
        assert await wb.variables.lines() == ()
        found = await wb.variables.import_env("# comment\nexport A=1\nB='two words'\n")
        assert (found.done, found.failed) == (("A", "B"), {})
        assert {line.name for line in await wb.variables.lines()} == {"A", "B"}


async def test_an_import_says_before_what_it_replaces_and_after_what_failed(
    project: Path, opened: OpenProject
) -> None:
    async with opened(project) as wb:
        await wb.variables.set("SITE", "one", Scope.INSTANCE, VariableType.TEXT)
        await wb.variables.set("FRESH", "of mine", Scope.ACCOUNT, VariableType.TEXT)
        text = f"FRESH=1\nSITE=two\n'BAD NAME'=3\nLARGE={'x' * 40_000}\nSITE=three\n"
        plan = {item.name: item for item in await wb.variables.plan_env(text)}
        assert {name: item.fate for name, item in plan.items()} == {
            "FRESH": Fate.SET,
            "SITE": Fate.REPLACED,
            "BAD NAME": Fate.LEFT_OUT,
            "LARGE": Fate.SET,
        }
        assert plan["SITE"].place is Place.STORE
        assert (await wb.variables.lines())[-1].value == "one"
        found = await wb.variables.import_env(text, names={"FRESH", "SITE", "LARGE"})
        assert found.done == ("FRESH", "SITE")
        assert list(found.failed) == ["LARGE"]
        with pytest.raises(UserError, match="LARGE could not be set") as caught:
            found.check()
        assert "FRESH, SITE are set." in caught.value.hint
        assert await wb.variables.reveal("SITE", Scope.INSTANCE) == "three"


async def test_a_deleted_call_is_gone_for_good(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        record = await wb.call_tool("echo", {"text": "forget-me-soon"})
        (row,) = (await wb.calls()).rows
        await wb.delete_call(row.id)
        assert (await wb.calls()).rows == ()
        with pytest.raises(UserError, match=record.call_id):
            await wb.call(row.id)
    files = [path for path in (project / ".workbench").rglob("*") if path.is_file()]
    assert [path for path in files if b"forget-me-soon" in path.read_bytes()] == []


async def test_a_new_tool_from_the_template_can_be_called_at_once(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        path = wb.new_tool("count_letters")
        await wb.settled()
        record = await wb.call_tool("count_letters", {"text": "abc"})
        assert path == project / "agents" / "tools" / "count_letters.py"
        assert record.result == "Received 3 characters."
        with pytest.raises(UserError, match="already"):
            wb.new_tool("count_letters")
        with pytest.raises(UserError, match="lower-case letters"):
            wb.new_tool("Count Letters")


async def test_the_command_line_of_a_call_names_secrets_by_their_mark(
    project: Path, opened: OpenProject
) -> None:
    async with opened(project) as wb:
        await wb.variables.set("TOKEN", "hunter2-and-more")
        line = await wb.inputs.command_line("echo", b'{"text": "it\'s hunter2-and-more"}')
    assert "hunter2" not in line
    assert line.startswith("workbench tool call echo --project ")


async def test_an_environment_made_later_runs_the_tools_from_then_on(
    project: Path, opened: OpenProject
) -> None:
    (project / "requirements.txt").write_text("nothing\n")
    async with opened(project, watch=True) as wb:
        await until(wb, lambda: any(listing.callable for listing in wb.listings()))
        assert "no-environment" in {item.code for item in wb.diagnostics()}
        venv.create(project / ".venv", symlinks=True, with_pip=False)
        await until(wb, lambda: wb.project.interpreter_origin == "venv")
        assert "no-environment" not in {item.code for item in wb.diagnostics()}
        assert not (await wb.call_tool("echo", {"text": "a"})).is_error


async def test_a_repaired_history_is_told_to_whoever_listens(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        await wb.call_tool("echo", {"text": "a"})
    path = project / ".workbench" / "threads.db"
    path.write_bytes(path.read_bytes()[:8192])
    notices: list[Notice] = []
    async with opened(project) as wb:
        wb.subscribe(on_notice=notices.append)
    assert [(notice.key, notice.level) for notice in notices] == [("store-damage", "warning")]


async def test_a_project_that_is_open_elsewhere_says_so(project: Path, opened: OpenProject) -> None:
    told: list[Notice] = []
    async with opened(project) as first:
        first.subscribe(on_notice=told.append)
        assert told == []
        async with opened(project) as second:
            second.subscribe(on_notice=told.append)
            assert [each.key for each in told] == ["open-elsewhere"]
