"""What a call of a TypeScript definition reaches: its log, the state, other tools, variables, the session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.hosts.conftest import RecordingLink
from tests.sandbox.typescript_folder import TypescriptFolder
from workbench.domain.definitions import DefinitionFile
from workbench.engine.ports import Raised, Returned, StateError
from workbench.sandbox import Sandbox

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("made", [TypescriptFolder.tool, TypescriptFolder.bot_tool], ids=["agents", "bot"])
async def test_what_a_tool_prints_is_the_log_of_its_call(
    folder: TypescriptFolder, made: Callable[..., DefinitionFile]
) -> None:
    console = (
        "console.log('a', { b: 1 }); console.info('i'); console.debug('d %d', 4); console.warn('w'); "
        "console.error('e', new Map([[1, [2]]])); console.group('g'); console.log('in'); console.groupEnd(); "
        "console.assert(1 === 2, 'no');"
    )
    link = RecordingLink()

    await folder.call(made(folder, "prints", f"execute: async () => {{ {console} }}"), link=link)

    assert link.logged == [
        ("stdout", "a { b: 1 }\n"),
        ("stdout", "i\n"),
        ("stdout", "d 4\n"),
        ("stderr", "w\n"),
        ("stderr", "e Map(1) { 1 => [ 2 ] }\n"),
        ("stdout", "g\n"),
        ("stdout", "  in\n"),
        ("stderr", "Assertion failed: no\n"),
    ]


async def test_what_a_tool_prints_while_it_is_loaded_and_logs_by_its_state_is_there_too(
    folder: TypescriptFolder,
) -> None:
    link = RecordingLink()
    tool = folder.tool(
        "logs", "execute: async (state) => { state.log('d'); }", before="console.log('loaded');"
    )

    await folder.call(tool, link=link)

    assert link.logged == [("stdout", "loaded\n"), ("log", "d\n")]


async def test_a_flood_of_output_and_events_is_bounded_and_said(folder: TypescriptFolder) -> None:
    tool = folder.tool(
        "floods",
        "execute: async (state) => { for (let i = 0; i < 30; i++) { console.log('x'.repeat(1e5)); "
        "state.emit('big', 'y'.repeat(1e6)); } }",
    )
    link = RecordingLink()

    await folder.call(tool, link=link)

    assert len(link.printed()) <= 1 << 20
    assert len(link.emitted) <= 8
    assert "more bytes of output were not kept" in link.printed("log")
    assert "more events were not kept" in link.printed("log")


@pytest.mark.rule("T7", "T11")
async def test_every_method_of_state_asks_the_engine_in_the_wires_words(folder: TypescriptFolder) -> None:
    tool = folder.tool(
        "asks_all",
        """
        execute: async (state) => {
          await state.env('A');
          await state.setEnv('B', 'x', { type: 'text' });
          const value = await state.getValue('k');
          await state.storage.put('k2', { n: 1 });
          await state.setValue('k3', undefined);
          await state.getMessages({ limit: 5 });
          await state.injectMessage({ role: 'user', content: 'c' });
          await state.writeFile('/a.txt', 'hé', 'text/plain');
          const read = await state.readFile('/a.txt');
          state.queueTool('next', { a: 1 });
          const result = await state.invokeTool('now', {});
          await state.scheduleEffect('e', { x: 1 }, 500);
          const older = state.rootState === state;
          return { value, read: new TextDecoder().decode(read), result, older, run: state.execution };
        },
        """,
    )
    answers: Mapping[str, object] = {
        "getValue": '{"deep":[1]}',
        "readFile": "aMOp",
        "invokeTool": {"status": "success", "result": "r", "attachments": [], "context": {}},
    }
    link = RecordingLink(lambda method, params: answers.get(method))

    value = await folder.value(tool, link=link)

    assert value == {
        "value": {"deep": [1]},
        "read": "hé",
        "result": {"status": "success", "result": "r", "attachments": []},
        "older": True,
        "run": None,
    }
    assert link.asked == [
        ("env", {"name": "A"}),
        ("setEnv", {"name": "B", "value": "x", "type": "text"}),
        ("getValue", {"key": "k"}),
        ("setValue", {"key": "k2", "json": '{"n":1}'}),
        ("setValue", {"key": "k3", "json": None}),
        ("getMessages", {"limit": 5, "offset": 0, "order": "asc", "includeSilent": False, "maxDepth": 0}),
        ("injectMessage", {"role": "user", "content": "c"}),
        ("writeFile", {"path": "/a.txt", "data": "aMOp", "mimeType": "text/plain"}),
        ("readFile", {"path": "/a.txt"}),
        ("queueTool", {"name": "next", "argumentsJson": '{"a":1}'}),
        ("invokeTool", {"name": "now", "argumentsJson": "{}"}),
        ("scheduleEffect", {"name": "e", "argumentsJson": '{"x":1}', "delayMs": 500}),
    ]


@pytest.mark.rule("D7")
async def test_a_failure_that_another_tool_gave_is_a_failure_of_the_tool_that_hands_it_on(
    folder: TypescriptFolder,
) -> None:
    tool = folder.tool("hands_on", "execute: async (state) => await state.invokeTool('now', {})")
    failed: Mapping[str, object] = {
        "status": "error",
        "error": "no",
        "failure": "tool_error",
        "stack": "at x",
        "attachments": [],
    }
    link = RecordingLink(lambda method, params: {**failed, "context": {}})

    answer = await folder.call(tool, link=link)

    assert isinstance(answer, Returned)
    assert (answer.shape, answer.is_error, answer.text) == ("tool_result", True, b"no")


@pytest.mark.rule("T18")
async def test_relatives_are_asked_in_their_own_name(folder: TypescriptFolder) -> None:
    tool = folder.tool(
        "relatives",
        """
        execute: async (state) => {
          const child = await state.getChildThread('c1');
          await child.setValue('k', 1);
          child.emit('told', 2);
          const pieces = [];
          for await (const piece of await child.readFileStream('/a')) pieces.push([...piece.data]);
          return { id: child.threadId, parent: await state.getParentThread(), children: state.children, pieces };
        },
        """,
    )

    def answer(method: str, params: Mapping[str, object]) -> object:
        if method == "relative":
            return {"threadId": "c1", "agentId": "a"} if params else None
        if params.get("ofMethod") == "readFilePart":
            return {"data": "AQ==", "index": params["index"], "count": 2, "version": "v"}
        return [{"reference": "c1"}] if method == "children" else None

    link = RecordingLink(answer)

    assert await folder.value(tool, link=link) == {
        "id": "c1",
        "parent": None,
        "children": [{"reference": "c1"}],
        "pieces": [[1], [1]],
    }
    assert ("inThread", {"key": "k", "json": "1", "ofThread": "c1", "ofMethod": "setValue"}) in link.asked
    told = {"event": "told", "dataJson": "2", "ofThread": "c1", "ofMethod": "emit"}
    assert ("inThread", told) in link.asked


async def test_a_bot_tool_reaches_what_sessions_share(folder: TypescriptFolder) -> None:
    tool = folder.bot_tool(
        "shares",
        """
        execute: async (input, ctx) => {
          await ctx.host.kv.set('k', { n: 1 });
          const value = await ctx.host.kv.get('k');
          await ctx.artifacts.write('a.txt', 'x');
          const other = await ctx.send('desk', 'hello', { key: 'k' });
          await other.send('again');
          await ctx.send('desk', 'for her', { auth: ctx.approvedBy });
          const { principal } = ctx.session.auth;
          const approved = ctx.approvedBy ?? null;
          return { value, mode: ctx.session.mode, principal, approved, other: other.id };
        },
        """,
    )
    answers: Mapping[str, object] = {
        "hostValue": '{"n":1}',
        "sendTo": {"id": "s2", "channel": "desk", "status": "idle"},
    }
    link = RecordingLink(lambda method, params: answers.get(method))
    ann = {"principal": "ann", "attributes": {"user_id": "U1"}}

    value = await folder.value(tool, link=link, approvedBy=ann)

    assert value == {
        "value": {"n": 1},
        "mode": "live",
        "principal": "local",
        "approved": ann,
        "other": "s2",
    }
    assert [method for method, _ in link.asked] == [
        "setHostValue",
        "hostValue",
        "writeFile",
        "sendTo",
        "sendTo",
        "sendTo",
    ]
    assert [params.get("auth") for _, params in link.asked[3:]] == [None, None, ann]
    assert link.asked[2][1] == {"path": "/artifacts/a.txt", "data": "eA==", "mimeType": None}


@pytest.mark.rule("C4")
async def test_queue_tool_throws_at_once_when_it_is_refused(folder: TypescriptFolder) -> None:
    def refuse(method: str, params: Mapping[str, object]) -> object:
        raise StateError("PermissionError", "not declared")

    tool = folder.tool(
        "queues",
        "execute: async (state) => {"
        " try { state.queueTool('x', {}); } catch (e) { return `${e.name}: ${e.message}`; } }",
    )

    assert await folder.value(tool, link=RecordingLink(refuse)) == "PermissionError: not declared"


@pytest.mark.rule("V3")
async def test_a_missing_variable_that_is_not_caught_names_its_kind(folder: TypescriptFolder) -> None:
    def refuse(method: str, params: Mapping[str, object]) -> object:
        raise StateError("MissingVariable", "No value for KEY.")

    tool = folder.tool("needs", "execute: async (state) => state.env('KEY')")

    answer = await folder.call(tool, link=RecordingLink(refuse))

    assert isinstance(answer, Raised)
    assert answer.kind == "missing_variable"


@pytest.mark.rule("T7")
async def test_what_a_call_leaves_in_the_context_is_handed_on(folder: TypescriptFolder) -> None:
    tool = folder.tool(
        "shares",
        "execute: async (state) => { state.context.b = state.context.a + 1; delete state.context.a; }",
    )
    link = RecordingLink()

    await folder.call(tool, link=link, context={"a": "1"})

    assert link.asked == [("updateContext", {"set": {"b": "2"}, "removed": ["a"]})]


@pytest.mark.rule("X3")
async def test_a_bot_tool_reads_variables_as_its_environment_and_nothing_else(
    folder: TypescriptFolder,
) -> None:
    def variables(method: str, params: Mapping[str, object]) -> object:
        if params["name"] == "KEY":
            return "sesame"
        raise StateError("MissingVariable", "none")

    tool = folder.bot_tool(
        "environment",
        "execute: async (input, ctx) => ({ KEY, path: process.env.PATH ?? null, keys: Object.keys(process.env), "
        "others: Object.keys(process), call: ctx.toolCallId, session: ctx.session.id })",
        before="const KEY = process.env.KEY;",
    )

    assert await folder.value(tool, link=RecordingLink(variables)) == {
        "KEY": "sesame",
        "path": None,
        "keys": [],
        "others": ["env"],
        "call": "tool_environment_1",
        "session": "t",
    }
    tool = folder.tool("no_process", "execute: async () => typeof process")
    assert await folder.value(tool) == "undefined"


@pytest.mark.rule("D4")
async def test_a_hook_gets_its_values_behind_the_state(folder: TypescriptFolder) -> None:
    hook = folder.file(
        "agents/hooks/trim.ts",
        """\
        import { defineHook } from '@standardagents/spec';
        export default defineHook({
          hook: 'filter_messages', id: 'trim',
          execute: async (state, messages) => messages.slice(-1),
        });
        """,
    )

    assert await folder.value(hook, [[{"id": 1}, {"id": 2}]]) == [{"id": 2}]


async def test_a_call_for_which_the_sandbox_is_compiled_first_says_so(tmp_path: Path) -> None:
    class Cold(Sandbox):
        @property
        def is_prepared(self) -> bool:
            return False

    folder = TypescriptFolder(tmp_path / "project", sandbox=Cold())

    async def answer() -> str:
        while len(link.emitted) < 2:
            link.something_came.clear()
            await link.something_came.wait()
        return "x"

    link = RecordingLink(lambda method, params: answer())
    async with asyncio.timeout(60):
        value = await folder.value(folder.tool("asks", "execute: async (state) => state.env('X')"), link=link)
    await folder.close()

    assert value == "x"
    told = ["Preparing the sandbox, once on this machine", "Running"]
    assert link.emitted == [("progress", {"message": words}) for words in told]


async def test_a_call_in_a_sandbox_that_was_compiled_says_nothing_of_it(folder: TypescriptFolder) -> None:
    link = RecordingLink()
    await folder.sandbox.prepare()

    await folder.value(folder.tool("plain", "execute: async () => 1"), link=link)

    assert link.emitted == []
