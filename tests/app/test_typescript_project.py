"""A folder of TypeScript definitions of both systems, written as its users write them, runs as it is."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio

from tests.app.thread_projects import said
from workbench.app import CallRecord, CallRefused, Workbench, open_workbench
from workbench.base.ids import EffectId, ThreadId
from workbench.base.paths import resources_dir
from workbench.domain.calls import FailureKind, Origin
from workbench.domain.definitions import Severity
from workbench.domain.effects import EffectState
from workbench.domain.events import CallProgressed, EffectMoved, Event, ToolCallStarted
from workbench.domain.models import Provider
from workbench.domain.threads import Role
from workbench.domain.variables import Scope, VariableType
from workbench.engine.doubles.vault import MemoryVault

FOLDER = Path(__file__).parent.parent / "data" / "typescript_project"
SECRETS = {"RAIN_KEY": "sesame-for-rain", "DATABASE_URL": "db://hire-desk", "REGISTRY_TOKEN": "tokens"}

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hire(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workbench]:
    """The folder, copied and opened once."""
    place = tmp_path_factory.mktemp("hire")
    root = Path(shutil.copytree(FOLDER, place / "bike-hire"))
    async with open_workbench(root, data_dir=place / "person", vault=MemoryVault()) as wb:
        await wb.settled()
        for name, value in SECRETS.items():
            await wb.variables.set(name, value, Scope.INSTANCE, type=VariableType.SECRET)
        yield wb


async def record(
    wb: Workbench, tool: str, input: Mapping[str, object] | None = None, **more: Any
) -> CallRecord:
    return await wb.call_tool(tool, input or {}, **more)


async def result(wb: Workbench, tool: str, input: Mapping[str, object] | None = None, **more: Any) -> Any:
    done = await record(wb, tool, input, **more)
    assert not done.is_error, done.result
    return done.result


async def failure(
    wb: Workbench, tool: str, input: Mapping[str, object], **more: Any
) -> tuple[FailureKind, str]:
    done = await record(wb, tool, input, **more)
    assert done.failure is not None, done.result
    return done.failure.kind, done.failure.message


async def newest(wb: Workbench, count: int) -> set[str]:
    """The tools of the last calls."""
    return {row.tool for row in (await wb.calls()).rows[:count]}


async def talk(wb: Workbench, agent: str, *words: str, **arguments: object) -> ThreadId:
    """A thread that has heard these words, one after the other."""
    thread = await wb.threads.start(agent, arguments, message=words[0])
    await wb.threads.parked(thread.id)
    for more in words[1:]:
        await wb.threads.send(thread.id, more)
        await wb.threads.parked(thread.id)
    return thread.id


async def ran_now(wb: Workbench, effect: EffectId) -> None:
    """Begin a scheduled effect and wait until it has ended."""
    over = asyncio.Event()

    def hear(event: Event) -> None:
        if (
            isinstance(event, EffectMoved)
            and event.effect_id == effect
            and event.state is EffectState.COMPLETED
        ):
            over.set()

    unsubscribe = wb.subscribe(on_event=hear)
    await wb.effects.run_now(effect)
    async with asyncio.timeout(60):
        await over.wait()
    unsubscribe()


# --- what is there


@pytest.mark.rule("D1", "D3")
async def test_every_file_is_listed_under_its_name_and_nothing_is_wrong_with_it(hire: Workbench) -> None:
    written = {
        path.relative_to(FOLDER).as_posix()
        for path in [*FOLDER.glob("agents/**/*.*"), *FOLDER.glob("bot/tools/*")]
    }
    others = {f"agents/tools/{name}" for name in ("_draft.ts", "find_bike.test.ts", "shapes.d.ts")}

    assert {listing.file.path for listing in hire.listings()} == written - others
    assert [one.name for one in hire.listings() if not one.callable] == ["paint_poster"]
    assert [one for one in hire.diagnostics() if one.severity is Severity.ERROR] == []
    loud = {one.code for one in hire.diagnostics() if one.severity is Severity.WARNING}
    assert loud == {"open-shape"}, "the record of open_case"


@pytest.mark.rule("D3", "D6")
async def test_fields_are_read_as_they_are_written(hire: Workbench) -> None:
    definitions = {one.name: cast("Any", one.definition) for one in hire.listings()}

    assert definitions["hire_bike"].uses == ("print_tag",)
    assert definitions["hire_bike"].progress_argument == "doing"
    assert definitions["hire_bike"].annotations == {"hire": {"icon": "bike", "columns": [1, 2]}}
    assert definitions["paint_poster"].execution_provider == "openai"
    assert definitions["query_rides"].time_args == ("since", "until")
    assert definitions["read_weather"].output_schema["required"] == ["city", "temperatureC"]
    assert definitions["read_weather"].effect == "predicate"
    assert definitions["echo_message"].script.startswith("#!/usr/bin/env bash\nset -euo")
    assert definitions["inspect_bike"].description == (
        "Inspect a bike before it goes out.\nPrefer this over guessing from its age alone."
    )
    assert definitions["reminders/digest"].input_schema["required"] == ["to"]
    model = definitions["large-model"]
    assert (model.provider, model.key_variable) == (Provider.ANTHROPIC, "ANTHROPIC_API_KEY")
    assert model.capabilities.reasoning_levels == {0: None, 50: "medium", 100: "high"}


# --- tools of agents/


@pytest.mark.rule("D4", "D7")
async def test_helpers_data_and_packages_are_reached_by_every_sort_of_import(hire: Workbench) -> None:
    assert await result(hire, "find_bike", {"kind": "city", "limit": 1}) == (
        "2 bikes:\nb-01 (city, 54 cm) at 12.00 EUR a day"
    )
    assert await result(
        hire, "open_case", {"title": "A flat tyre", "insured": True, "costs": {"tube": 4.5}}
    ) == ("medium/shop: A flat tyre (4.5)")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT.*Z", await result(hire, "shop_time"))


@pytest.mark.rule("C3", "D4")
async def test_arguments_are_checked_against_the_zod_schema_before_the_tool_runs(hire: Workbench) -> None:
    with pytest.raises(CallRefused) as refused:
        await record(hire, "open_case", {"title": "flat", "urgency": "now", "insured": "yes"})

    assert refused.value.code == "invalid_tool_input"
    assert all(name in refused.value.message for name in ("/title", "/urgency", "/insured"))


@pytest.mark.rule("C17", "C6")
async def test_a_tool_keeps_values_tells_progress_and_queues_another(hire: Workbench) -> None:
    told: list[Event] = []
    unsubscribe = hire.subscribe(on_event=told.append)
    hired = await result(hire, "hire_bike", {"doing": "hiring b-01", "bikeId": "b-01", "days": 2})
    again = await failure(hire, "hire_bike", {"doing": "hiring b-01", "bikeId": "b-01"})
    await hire.idle()
    unsubscribe()

    assert hired == "Hired b-01-2 for 2 days: 2400 cents"
    assert again == (FailureKind.TOOL_ERROR, "b-01 is hired already")
    assert [one.progress.message for one in told if isinstance(one, CallProgressed)] == [
        "Checking brakes", "Pumping tyres",
    ]  # fmt: skip
    started = [one.progress for one in told if isinstance(one, ToolCallStarted)]
    assert started[0] == "hiring b-01"
    assert await newest(hire, 3) == {"hire_bike", "print_tag"}


@pytest.mark.rule("D8")
async def test_a_picture_and_a_file_of_the_thread_are_attached(hire: Workbench) -> None:
    printed = await hire.call(cast("Any", (await record(hire, "print_tag", {"bikeId": "b-02"})).call_id))

    assert printed.result is not None
    (picture,) = printed.result.attachments
    assert (picture.mime_type, picture.width, picture.height) == ("image/png", 1, 1)
    assert await hire.read_file(printed.thread_id, picture.path)


@pytest.mark.rule("V6", "X4")
async def test_a_tool_that_may_not_reach_its_host_says_so_and_hides_its_key(hire: Workbench) -> None:
    kind, words = await failure(hire, "check_rain", {"place": "Lille"})
    row = (await hire.calls()).rows[0]
    logged = "\n".join(await hire.store.events(row.thread_id, call_id=row.id))

    assert kind is FailureKind.TOOL_ERROR
    assert 'allow_hosts = ["rain.example"]' in words
    assert "[check_rain] TypeError: fetch failed" in logged
    assert SECRETS["RAIN_KEY"] not in logged


@pytest.mark.rule("T11", "V3", "V6")
async def test_what_was_written_for_earlier_versions_runs(hire: Workbench) -> None:
    found = json.loads(await result(hire, "look_up_customer", {"customerId": "c-1"}))
    cached = await result(hire, "look_up_customer", {"customerId": "c-1"})
    await hire.idle()

    assert found["types"] == ["secret", "text"]
    assert SECRETS["DATABASE_URL"] not in json.dumps(found)
    assert cached.startswith("cached: {")
    assert "shop_time" in await newest(hire, 3)
    assert await result(hire, "search_manuals", {"query": "chain"}) == "chain in shelf"


@pytest.mark.rule("X1", "X2")
async def test_code_that_a_tool_is_handed_runs_with_every_option(hire: Workbench) -> None:
    code = """
        import { price } from 'fleet';
        import { round } from './round.js';
        export const tariff = async (days: number): Promise<number> => {
            report({ days });
            console.log('priced');
            return round(days * (await price('b-01')) * discount);
        };
    """

    assert json.loads(await result(hire, "run_tariff", {"code": code})) == {"result": 1800, "logs": 1}
    assert await failure(hire, "run_tariff", {"code": "export const tariff = () => missing"}) == (
        FailureKind.TOOL_ERROR, "error: missing is not defined",
    )  # fmt: skip


@pytest.mark.rule("C4", "C6", "T7")
async def test_both_languages_call_each_other_within_what_they_declare(hire: Workbench) -> None:
    assert await result(hire, "check_out", {"bikeId": "b-02"}) == (
        "b-02 weighs 14 kg (success) | error | PermissionError | Hired b-02-4 for 1 days: 1200 cents"
    )


# --- tools of bot/


async def test_the_prompt_helpers_dedent_and_the_web_is_there(hire: Workbench) -> None:
    assert await result(hire, "inspect_bike", {"pageUrl": "https://hire.example/b-01"}) == {
        "host": "hire.example",
        "notes": ["Brakes: good.", "  Pads: new."],
    }


@pytest.mark.rule("C12", "C10", "X3")
async def test_a_write_asks_is_stubbed_in_a_dry_run_and_reads_its_environment(hire: Workbench) -> None:
    asked, _ = await failure(hire, "publish_release", {"version": "1.2.0"})

    assert asked is FailureKind.APPROVAL_REQUIRED
    rosa: dict[str, Any] = {"principal": "rosa", "attributes": {"shop": 2}}
    assert await result(hire, "publish_release", {"version": "1.2.0"}, approve=True, **rosa) == {
        "version": "1.2.0", "by": 6, "approvedBy": rosa,
    }  # fmt: skip
    assert await result(hire, "publish_release", {"version": "1.2.0", "draft": True}, dry_run=True) == {
        "published": False, "version": "1.2.0",
    }  # fmt: skip
    assert await failure(hire, "publish_release", {"version": "0.0.0", "draft": True}) == (
        FailureKind.TOOL_ERROR, "0.0.0 is no version.\nWrite one above it.",
    )  # fmt: skip


@pytest.mark.rule("C9", "C10")
async def test_an_effect_by_predicate_says_what_a_dry_run_runs(hire: Workbench) -> None:
    ran = await result(hire, "read_weather", {"city": "Ghent"}, dry_run=True)

    assert ran["structuredContent"] == {"city": "Ghent", "temperatureC": 21}
    assert await result(hire, "read_weather", {"city": "Nowhere"}, dry_run=True) == "Operation acknowledged."
    assert await failure(hire, "read_weather", {"city": "Ghent", "broken": True}) == (
        FailureKind.TOOL_ERROR, "no sensor",
    )  # fmt: skip


@pytest.mark.rule("C9", "D4")
async def test_plain_json_schema_is_handed_on_unchecked_and_what_may_pass_is_tried_again(
    hire: Workbench,
) -> None:
    assert await result(hire, "tag_bike", {"colour": "green"}) == "true undefined green"
    kind, words = await failure(hire, "tag_bike", {"bikeId": "b-01", "fail": True})

    assert (kind, words) == (FailureKind.TOOL_ERROR, "the tagger is warming up")
    assert (await hire.call((await hire.calls()).rows[0].id)).attempts == 3


@pytest.mark.rule("H7")
async def test_ctx_has_what_its_document_names(hire: Workbench) -> None:
    ann: dict[str, Any] = {"principal": "ann", "attributes": {"team": "desk"}}
    session = (await hire.threads.start("echo_agent", **ann)).id

    toured = await result(hire, "tour_context", session_id=str(session), principal="ann")

    owners = [(await hire.threads.parked(ThreadId(one))).auth.to_json() for one in toured.pop("sent")]
    assert owners == [ann, {"principal": "rosa", "attributes": {"shop": 2}}]
    assert toured == {
        "session": ["auth", "channel", "id", "mode"],
        "mode": "live",
        "auth": ann,
        "workspace": True,
        "root": True,
        "value": {"n": 1},
        "keys": ["tour"],
        "file": "seen",
        "reminders": 1,
        "kept": ["/artifacts/tag.txt"],
        "unknown": None,
    }


@pytest.mark.rule("C11")
async def test_instants_that_bound_a_question_are_read_and_held_to_the_frozen_one(hire: Workbench) -> None:
    span = {"since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"}
    assert await result(hire, "query_rides", span) == [1767225600000, 1767312000000]

    frozen = await hire.threads.start("echo_agent", as_of="2026-01-01T12:00:00Z")
    kind, words = await failure(hire, "query_rides", span, session_id=str(frozen.id))

    assert kind is FailureKind.TIME_BOUND
    assert "until" in words


@pytest.mark.rule("C13")
async def test_a_call_that_would_never_end_is_stopped_with_what_it_said(hire: Workbench) -> None:
    said = asyncio.Event()
    unsubscribe = hire.subscribe(
        on_event=lambda event: said.set() if isinstance(event, CallProgressed) else None
    )
    call_id = await hire.start_call("ride_for_ever", b"{}", origin=Origin.FORM)
    async with asyncio.timeout(60):
        await said.wait()
        assert await hire.stop_call(call_id)
        call = await hire.wait_call(call_id)
    unsubscribe()

    assert call.result is not None
    assert call.result.failure is not None
    assert call.result.failure.kind is FailureKind.CANCELLED
    assert call.result.failure.ended == ("ride_for_ever (in the sandbox)",)


@pytest.mark.rule("D1")
async def test_a_change_of_what_a_tool_uses_is_seen_at_once(tmp_path: Path) -> None:
    root = Path(shutil.copytree(FOLDER, tmp_path / "bike-hire"))
    bikes, fleet = root / "data" / "bikes.json", root / "lib" / "types.ts"
    changed = asyncio.Event()
    async with open_workbench(root, data_dir=tmp_path / "person", vault=MemoryVault(), watch=True) as wb:
        wb.subscribe(on_changes=lambda changes: changed.set() if "find_bike" in changes.definitions else None)
        async with asyncio.timeout(60):
            await until(changed, lambda: listed(wb, "find_bike"))
            bikes.write_text(bikes.read_text("utf-8").replace("b-02", "b-77"), "utf-8")
            assert "b-77" in await result(wb, "find_bike", {"kind": "city"})

            fleet.write_text(fleet.read_text("utf-8") + "\nexport const = 1;\n", "utf-8")
            await until(changed, lambda: not listed(wb, "find_bike"))
    (problem,) = [one for one in wb.diagnostics() if one.path == "agents/tools/find_bike.ts"]
    assert "lib/types.ts" in problem.message


TOOL = """import {{ defineTool }} from '@standardagents/spec';
import {{ found }} from '{}';
export default defineTool({{ description: 'x', execute: async () => found }});
"""
COMES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "installed": ("part", {"node_modules/part/index.js": "export const found = 'there';"}),
    "led_by_tsconfig": ("@/found", {"tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}'}),
    "named_by_package_json": ("#found", {"package.json": '{"imports": {"#found": "./src/found.ts"}}'}),
    "written_later": ("../../lib/found", {"lib/found/index.ts": "export const found = 'there';"}),
}
"""By what is to come: an import that leads nowhere, and the files that make it lead somewhere."""


@pytest.mark.rule("D1")
async def test_a_file_whose_import_led_nowhere_loads_once_that_is_there(tmp_path: Path) -> None:
    root = tmp_path / "project"
    for name, (specifier, _) in COMES.items():
        write(root, f"agents/tools/{name}.ts", TOOL.format(specifier))
    write(root, "src/found.ts", "export const found = 'there';")
    changed = asyncio.Event()
    async with open_workbench(root, data_dir=tmp_path / "person", vault=MemoryVault(), watch=True) as wb:
        wb.subscribe(on_changes=lambda changes: changed.set() if changes.definitions else None)
        async with asyncio.timeout(60):
            await until(
                changed, lambda: all(one.diagnostics for one in wb.listings()) and len(wb.listings()) == 4
            )
            assert not [name for name in COMES if listed(wb, name)]
            for name, (_, files) in COMES.items():
                for path, text in files.items():
                    write(root, path, text)
                await until(changed, lambda name=name: listed(wb, name))


@pytest.fixture
def unbuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The resources of an installation whose sandbox is not built; whether it came is looked at again at once."""
    resources = tmp_path / "installed" / "resources"
    resources.mkdir(parents=True)
    monkeypatch.setattr("workbench.sandbox.resources.resources_dir", lambda: resources)
    monkeypatch.setattr("workbench.app.upkeep.SANDBOX_SECONDS", 0.01)
    return resources


async def test_files_that_wait_for_the_sandbox_load_once_it_is_built(unbuilt: Path, tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(root, "agents/tools/waits.ts", TOOL.format("./_words"))
    write(root, "agents/tools/_words.ts", "export const found = 1;")
    changed = asyncio.Event()
    async with open_workbench(root, data_dir=tmp_path / "person", vault=MemoryVault(), watch=True) as wb:
        wb.subscribe(on_changes=lambda changes: changed.set() if changes.definitions else None)
        async with asyncio.timeout(60):
            await until(changed, lambda: [one.code for one in wb.diagnostics()] == ["no-sandbox"])
            (unbuilt / "sandbox").symlink_to(resources_dir() / "sandbox")
            await until(changed, lambda: listed(wb, "waits"))
    assert wb.diagnostics() == ()


async def test_files_are_loading_while_the_sandbox_is_built_and_fail_when_it_does_not_come(
    unbuilt: Path, tmp_path: Path
) -> None:
    root = tmp_path / "project"
    write(root, "agents/tools/waits.ts", TOOL.format("./_words"))
    changed = asyncio.Event()
    lock = os.open(unbuilt.parent, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)  # as the two commands do while they build
    async with open_workbench(root, data_dir=tmp_path / "person", vault=MemoryVault(), watch=True) as wb:
        told: asyncio.Queue[str] = asyncio.Queue()
        wb.subscribe(
            on_changes=lambda changes: changed.set() if changes.definitions else None,
            on_notice=lambda notice: told.put_nowait(notice.message),
        )
        async with asyncio.timeout(60):
            while "is being built" not in await told.get():
                pass
            assert [(one.name, one.diagnostics) for one in wb.listings()] == [("waits", ())]
            os.close(lock)
            await until(changed, lambda: [one.code for one in wb.diagnostics()] == ["no-sandbox"])
            while "is not built" not in await told.get():
                pass


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def listed(wb: Workbench, name: str) -> bool:
    return any(one.name == name and one.callable for one in wb.listings())


async def until(changed: asyncio.Event, condition: Callable[[], bool]) -> None:
    while not condition():
        await changed.wait()
        changed.clear()


# --- a thread from end to end


@pytest.mark.rule("T2", "T8", "D10", "T4")
async def test_an_agent_with_its_prompt_model_hooks_and_tools_runs_through_a_thread(hire: Workbench) -> None:
    thread = await talk(
        hire, "hire_agent", "What bikes are there?", "I hire one.", "Check one out", "Please note", "Now sum up",
        "Call me: 479123456", customer="Ms Okafor",
    )  # fmt: skip

    lines = await said(hire, thread)
    tools = [line.removeprefix("tool: ") for line in lines if line.startswith("tool: ")]
    assert (
        tools[0] == "2 bikes:\nb-01 (city, 54 cm) at 12.00 EUR a day\nb-02 (city, 58 cm) at 12.00 EUR a day"
    )
    assert tools[1:3] == ["Hired b-03-6 for 2 days: 6800 cents", "Tag of b-03"]
    assert "weighs 14 kg" in tools[3]
    noted = json.loads(tools[-2])
    assert noted["noted"] == 'Noted route: {"km":12}'
    assert (noted["counted"], noted["agent"], noted["side"]) == (True, "hire_agent", "a")
    assert (noted["path"], noted["aborted"]) == (["hire_desk"], False)
    assert tools[-1] == "in short: Two bikes, one rider."
    assert lines[-1] == "assistant: I see no number."

    requests = await hire.threads.requests(thread)
    asked = await hire.threads.asked(requests[0].id)
    assert (
        asked.system
        == "You hire bikes out to Ms Okafor in Ghent.\nBe brief. Never promise a bike that is out."
    )
    assert {tool.name for tool in asked.tools} == {
        "find_bike", "hire_bike", "take_note", "search_manuals", "check_out", "summarise",
    }  # fmt: skip
    values = dict(await hire.thread_data.values(thread))
    assert json.loads(values["seen"])[:2] == ["find_bike", "hire_bike"]


@pytest.mark.rule("T1")
async def test_a_handler_takes_a_sides_turns(hire: Workbench) -> None:
    thread = await talk(hire, "echo_agent", "good morning", "and good night")

    page = await hire.threads.messages(thread)
    answers = [one.content for one in page.messages if one.role is Role.ASSISTANT]
    assert answers == ["I heard: good morning", "I heard: and good night"]


@pytest.mark.rule("D8", "T7")
async def test_files_and_an_effect_of_a_thread_go_through_typescript(hire: Workbench) -> None:
    session = await talk(hire, "echo_agent", "hello")
    done = await record(hire, "file_report", session_id=str(session))

    assert not done.is_error, done.result
    assert json.loads(cast("str", done.result)) == {
        "text": "two bikes\nno rain\n", "chunks": [1, 2, 255], "size": 18, "mimeType": "text/plain",
        "missing": None, "entries": ["map.bin", "today.txt"], "hit": ["no rain"], "count": 2, "left": 1,
        "scheduled": 1,
    }  # fmt: skip
    effect = next(one for one in await hire.effects.list(session) if one.name == "reminders/digest")
    await ran_now(hire, effect.id)
    assert dict(await hire.thread_data.values(session))["digest"] == '"sent to desk"'
