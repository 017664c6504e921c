"""TypeScript definitions are called as written: what they get and give, and how they are stopped."""

from __future__ import annotations

import asyncio

import pytest

from tests.hosts.conftest import RecordingLink
from tests.sandbox.typescript_folder import TypescriptFolder
from workbench.base.ids import CallId
from workbench.engine.ports import HostCall, Returned, Stopped, Unavailable

pytestmark = pytest.mark.asyncio(loop_scope="module")


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
    assert raised.stack.endswith("\n\nError: the second\n\nAggregateError")


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

    await asyncio.wait_for(folder.host.stop(call_id), 30)

    assert isinstance(await task, Stopped)


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


async def test_a_language_that_is_asked_for_and_left_aside_is_told_once(folder: TypescriptFolder) -> None:
    link = RecordingLink()
    tool = folder.tool(
        "counts",
        """execute: async () => [
          (1234.5).toLocaleString(), (1234.5).toLocaleString('de-DE'), (0.5).toLocaleString('en', { style: 'percent' }),
        ].join(' ')""",
    )

    assert await folder.value(tool, link=link) == "1234.5 1234.5 0.5"
    assert link.printed("stderr") == (
        "toLocaleString leaves its language and options aside: the sandbox has no Intl.\n"
    )
