"""TypeScript definitions are called as written: what they get, give and reach, and how they are stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

from tests.hosts.conftest import RecordingLink
from tests.sandbox.typescript_folder import TypescriptFolder
from workbench.base.ids import CallId
from workbench.domain.definitions import DefinitionFile
from workbench.engine.ports import HostCall, Raised, Returned, StateError, Stopped, Unavailable
from workbench.sandbox import Sandbox

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TypescriptFolder]:
    made = TypescriptFolder(tmp_path_factory.mktemp("typescript"))
    yield made
    await made.close()


# --- calling


@pytest.mark.rule("D4", "D7")
@pytest.mark.parametrize(
    ("body", "shape", "value"),
    [
        ("async () => ({ status: 'success', result: 'yes' })", "tool_result", "yes"),
        ("async () => 'text'", "text", "text"),
        ("() => 'at once'", "text", "at once"),
        ("async () => ({ a: [1, 2.5, null] })", "json", '{"a":[1,2.5,null]}'),
        ("async () => null", "none", None),
        ("async () => {}", "none", None),
        (
            "async () => ({ content: [{ type: 'text', text: 'x' }] })",
            "envelope",
            '{"content":[{"type":"text","text":"x"}]}',
        ),
        ("async () => new Date(0)", "json", '"1970-01-01T00:00:00.000Z"'),
    ],
)
async def test_what_a_function_returns_is_told_apart(
    folder: TypescriptFolder, body: str, shape: str, value: str | None
) -> None:
    answer = await folder.call(folder.tool("returns", f"execute: {body}"))

    assert isinstance(answer, Returned)
    assert answer.shape == shape
    assert (answer.json or answer.text or b"").decode() == (value or "")


@pytest.mark.rule("D7")
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("async () => ({ a: [1, NaN] })", "the value.a[1] is NaN"),
        ("async () => ({ a: 10n })", "big integer 10n"),
        ("async () => ({ f() {} })", "is a function"),
        ("async () => { const a = {}; a.a = a; return a; }", "circular"),
        ("async () => ({ status: 'success', result: { a: 1 } })", "JSON.stringify"),
        ("async () => '\\ud800'", "surrogate"),
        ("async () => ({ status: 'success', attachments: [{ name: 'x' }] })", "attachments[0] needs mimeType"),
        ("async () => { throw 'just text'; }", "just text"),
        ("async () => { throw null; }", "threw null"),
        ("async () => { await new Promise(() => {}); }", "nothing can settle"),
        ("async () => { const a = []; while (true) a.push(new Array(1e5).fill(1)); }", "memory"),
        ("async () => { const f = () => f() + 1; return f(); }", "call stack"),
    ],
)  # fmt: skip
async def test_what_goes_wrong_in_a_call_is_an_error_in_words(
    folder: TypescriptFolder, body: str, words: str
) -> None:
    raised = await folder.raised(folder.tool("goes_wrong", f"execute: {body}"))

    assert raised.kind == "tool_error"
    assert words in raised.message


async def test_what_an_error_of_many_holds_is_told_with_it(folder: TypescriptFolder) -> None:
    tool = folder.tool(
        "fails",
        """execute: async () => Promise.any([
          Promise.reject(new RangeError('the first')),
          Promise.reject('the second'),
        ])""",
    )

    raised = await folder.raised(tool)

    assert (raised.type, raised.message) == ("AggregateError", "the first; the second")
    assert "RangeError: the first\n    at execute (agents/tools/fails.ts:5:" in raised.stack
    assert "Error: the second\n" in raised.stack


async def test_an_error_tells_the_authors_own_line_and_its_cause(folder: TypescriptFolder) -> None:
    folder.write(
        "lib/fails.ts",
        """\
        interface Nothing { a: number }

        export function fail(given?: Nothing): number {
          try {
            return given!.a;
          } catch (error) {
            throw new RangeError('no use', { cause: error });
          }
        }
        """,
    )
    tool = folder.tool(
        "fails", "execute: async () => fail()", before="import { fail } from '../../lib/fails';"
    )

    raised = await folder.raised(tool)

    assert (raised.type, raised.message) == ("RangeError", "no use")
    assert "lib/fails.ts:7:" in raised.stack
    assert "lib/fails.ts:5:" in raised.stack
    assert "sb:" not in raised.stack


async def test_what_json_empties_is_told_in_the_log_of_the_call(folder: TypescriptFolder) -> None:
    link = RecordingLink()
    body = "async () => ({ all: new Map([[1, 2]]), some: [new Set([1])], later: Promise.resolve(1), more: new Map() })"

    answer = await folder.call(folder.tool("empties", f"execute: {body}"), link=link)

    assert isinstance(answer, Returned)
    assert answer.json == b'{"all":{},"some":[{}],"later":{},"more":{}}'
    assert link.printed("log").splitlines() == [
        "the value.all is a Map, of which JSON makes {}. Return Object.fromEntries(it).",
        "the value.some[0] is a Set, of which JSON makes {}. Return [...it].",
        "the value.later is a promise, of which JSON makes {}. Await it first.",
    ]


@pytest.mark.parametrize(
    "given",
    ["String(error.stack)", "{ told: [error.stack], big: 1e21 }", "{ status: 'error', stack: error.stack }"],
)
async def test_a_stack_that_a_tool_returns_tells_the_authors_own_lines(
    folder: TypescriptFolder, given: str
) -> None:
    folder.write(
        "lib/stacks.ts",
        """\
        interface Nothing { a: number }

        export function made(): Error {
          return new Error('kept');
        }
        """,
    )
    tool = folder.tool(
        "stacks",
        f"execute: async () => {{ const error = made(); return {given}; }}",
        before="import { made } from '../../lib/stacks';",
    )

    answer = await folder.call(tool)

    assert isinstance(answer, Returned)
    told = f"{answer.text.decode()} {(answer.json or b'').decode()} {answer.stack}"
    assert "lib/stacks.ts:4:" in told
    assert "sb:" not in told


@pytest.mark.rule("C9")
@pytest.mark.parametrize(
    ("thrown", "transient"),
    [
        ("Object.assign(new Error('x'), { status: 503 })", True),
        ("Object.assign(new Error('x'), { status: 404 })", False),
        ("new Error('x', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) })", True),
        ("Object.assign(new Error('x'), { response: { status: 429 } })", True),
        ("new TransientError('x')", True),
        ("new Error('x')", False),
    ],
)
async def test_what_may_be_gone_in_a_moment_is_transient(
    folder: TypescriptFolder, thrown: str, transient: bool
) -> None:
    tool = folder.bot_tool(
        "may_pass", f"execute: async () => {{ throw {thrown}; }}",
        before="import { TransientError } from '@grok/agent-sdk'; TransientError;",
    )  # fmt: skip

    assert (await folder.raised(tool)).transient is transient


@pytest.mark.rule("D4")
async def test_zod_refuses_what_the_schema_alone_would_let_through(folder: TypescriptFolder) -> None:
    tool = folder.tool(
        "strict",
        "args: z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even'), s: z.string().trim() }), "
        "execute: async (state: ThreadState, { n, s }) => ({ n, s })",
    )

    refused = await folder.raised(tool, {"n": 3, "s": " a "})

    assert (refused.kind, refused.message) == ("invalid_arguments", "- /n: must be even.")
    assert await folder.value(tool, {"n": 4, "s": " a "}) == {"n": 4, "s": "a"}


@pytest.mark.rule("D7")
async def test_a_whole_number_that_javascript_would_round_is_refused(folder: TypescriptFolder) -> None:
    tool = folder.tool("numbers", "execute: async (state, args) => args")

    refused = await folder.raised(tool, {"a": [1, 2**53 + 1]})

    assert refused.kind == "invalid_arguments"
    assert "value.a[1]" in refused.message
    assert await folder.value(tool, {"a": 2**53 - 1, "b": "9007199254740993"}) == {
        "a": 2**53 - 1,
        "b": "9007199254740993",
    }


@pytest.mark.rule("C12")
async def test_a_predicate_is_asked_with_the_parsed_input(folder: TypescriptFolder) -> None:
    tool = folder.bot_tool(
        "asks",
        "inputSchema: z.object({ n: z.number().default(7) }), needsApproval: async ({ n }) => n > 5, "
        "execute: async () => 'x'",
    )

    answers = [
        await folder.host.evaluate(tool, "needsApproval", arguments) for arguments in (b"{}", b'{"n":1}')
    ]

    assert [answer.json for answer in answers if isinstance(answer, Returned)] == [b"true", b"false"]


@pytest.mark.rule("C13")
@pytest.mark.parametrize(
    "body",
    [
        "() => { while (true) {} }",
        "async () => { while (true) await null; }",
        "async () => { for (;;) { try { for (;;) {} } finally { continue; } } }",
        "() => /(a+)+$/.test('a'.repeat(60) + 'b')",
        "async () => { await new Promise((done) => setTimeout(done, 1e9)); }",
    ],
)
async def test_whatever_a_call_is_at_it_is_stopped_at_once(folder: TypescriptFolder, body: str) -> None:
    tool = folder.tool("endless", f"execute: async (state) => {{ state.log('begun'); return ({body})(); }}")
    link, call_id = RecordingLink(), CallId("tool_endless_1")
    task = asyncio.create_task(folder.host.call(HostCall(call_id, tool, b"{}", {"callId": call_id}), link))
    await asyncio.wait_for(link.something_came.wait(), 30)

    began = time.monotonic()
    await asyncio.wait_for(folder.host.stop(call_id), 30)

    assert isinstance(await task, Stopped)
    assert time.monotonic() - began < 15


async def test_a_debugger_is_refused_in_words(folder: TypescriptFolder) -> None:
    tool = folder.tool("debugged", "execute: async () => 'x'")
    call = HostCall(CallId("tool_debugged_1"), tool, b"{}", debug=True)

    answer = await folder.host.call(call, RecordingLink())

    assert isinstance(answer, Unavailable)
    assert "console.log" in answer.hint


async def test_module_state_does_not_outlive_a_call(folder: TypescriptFolder) -> None:
    tool = folder.tool("counts", "execute: async () => ++count", before="let count = 0;")

    assert [await folder.value(tool) for _ in range(2)] == [1, 1]


async def test_a_changed_file_is_called_as_it_is_now(folder: TypescriptFolder) -> None:
    for words in ("first", "second"):
        tool = folder.tool("changing", f"execute: async () => '{words}'")
        await folder.host.forget([tool.path])
        assert await folder.value(tool) == words


# --- what a call reaches


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
