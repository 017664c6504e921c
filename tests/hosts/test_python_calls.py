"""What a call of a Python tool gets and gives: signatures, arguments, results, exceptions (D4, D7, D8)."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.hosts.conftest import Bench, RecordingLink
from workbench.engine.ports import Returned

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.rule("D4")
async def test_a_tool_under_agents_gets_state_and_args_and_may_leave_both_out(shared: Bench) -> None:
    both = shared.tool(
        "both", "tool = define_tool(description='', execute=lambda state, args: [state.thread_id, args])"
    )
    one = shared.tool("one", "tool = define_tool(description='', execute=lambda state: state.callId)")
    none = shared.tool("none", "tool = define_tool(description='', execute=lambda: 'nothing')")

    assert await shared.value(both, {"a": 1}) == ["thread-1", {"a": 1}]
    assert str(await shared.value(one)).startswith("tool_one_")
    assert await shared.value(none) == "nothing"


@pytest.mark.rule("D4")
async def test_a_tool_under_bot_gets_input_and_context(shared: Bench, tmp_path: Path) -> None:
    tool = shared.tool(
        "where",
        """
        def execute(input, ctx):
            same = ctx.toolCallId == ctx.tool_call_id
            there = ctx.workspace_dir.is_dir()
            return [input, ctx.session.id, same, str(ctx.workspace_dir), there, str(ctx.stateRoot)]
        tool = define_tool(description="", execute=execute)
        """,
        folder="bot/tools",
    )

    folder = str(tmp_path / "w")  # not there yet
    answer = await shared.call(tool, {"x": 1}, workspaceDir=folder, stateRoot="/s")

    assert isinstance(answer, Returned)
    assert json.loads(answer.json or b"") == [{"x": 1}, "thread-1", True, folder, True, "/s"]


@pytest.mark.rule("D4")
async def test_async_functions_await_the_state_and_plain_ones_block_on_it(shared: Bench) -> None:
    waits = shared.tool(
        "waits",
        """
        import asyncio
        async def execute(state):
            return await asyncio.gather(state.env("A"), state.env("B"))
        tool = define_tool(description="", execute=execute)
        """,
    )
    blocks = shared.tool(
        "blocks", "tool = define_tool(description='', execute=lambda state: [state.env('A'), state.env('B')])"
    )

    def answer(method: str, params: Mapping[str, object]) -> object:
        return f"{method}:{params['name']}"

    for tool in (waits, blocks):
        assert await shared.value(tool, link=RecordingLink(answer)) == ["env:A", "env:B"]


@pytest.mark.rule("D4")
async def test_a_model_parses_the_arguments_and_fills_its_defaults(shared: Bench) -> None:
    tool = shared.tool(
        "convert",
        """
        from decimal import Decimal
        from pydantic import BaseModel
        class Args(BaseModel):
            amount: Decimal
            unit: str = "ft"
        async def execute(state, args: Args):
            return [type(args).__name__, args.amount, args.unit]
        tool = define_tool(description="", execute=execute)
        """,
    )

    answer = await shared.returned(tool, b'{"amount": 0.12345678901234567890123}')
    refused = await shared.raised(tool, b'{"amount": "much"}')

    assert answer.json == b'["Args",0.12345678901234567890123,"ft"]'
    assert refused.kind == "invalid_arguments"
    assert refused.message.startswith("- /amount: ")


async def test_numbers_in_plain_arguments_stay_exact(shared: Bench) -> None:
    tool = shared.tool("same", "tool = define_tool(description='', execute=lambda state, args: args)")
    digits = "7" * 5000

    answer = await shared.returned(tool, b'{"big":' + digits.encode() + b',"far":1E+400,"near":0.1}')

    assert answer.json == b'{"big":' + digits.encode() + b',"far":1E+400,"near":0.1}'


@pytest.mark.rule("D7")
@pytest.mark.parametrize(
    ("expression", "shape", "text", "is_error"),
    [
        ("None", "none", "", False),
        ("'plain'", "text", "plain", False),
        ("ToolResult.success('fine')", "tool_result", "fine", False),
        ("ToolResult.error('no', stack='here')", "tool_result", "no", True),
        ("{'status': 'success', 'result': 'r'}", "tool_result", "r", False),
        ("{'status': 'error', 'error': 'e'}", "tool_result", "e", True),
        ("{'status': 'error', 'result': 'only this'}", "tool_result", "only this", True),
    ],
)
async def test_texts_and_tool_results(
    shared: Bench, expression: str, shape: str, text: str, is_error: bool
) -> None:
    tool = shared.tool("gives", f"tool = define_tool(description='', execute=lambda: {expression})")

    answer = await shared.returned(tool)

    assert (answer.shape, answer.text.decode(), answer.is_error) == (shape, text, is_error)


@pytest.mark.rule("D7")
@pytest.mark.parametrize(
    ("expression", "shape", "json_text"),
    [
        ("{'status': 'success', 'rows': 3}", "json", '{"status":"success","rows":3}'),
        ("[1, 2.5, True, None, 'é']", "json", '[1,2.5,true,null,"é"]'),
        (
            "{'content': [{'type': 'text', 'text': 'x'}]}",
            "envelope",
            '{"content":[{"type":"text","text":"x"}]}',
        ),
        (
            "{'content': [], 'is_error': True, 'structured_content': {}}",
            "envelope",
            '{"content":[],"isError":true,"structuredContent":{}}',
        ),
        ("{'content': ['x']}", "json", '{"content":["x"]}'),
        ("2 ** 80", "json", str(2**80)),
        ("__import__('decimal').Decimal('1.10')", "json", "1.10"),
        ("False", "json", "false"),
    ],
)
async def test_json_values_and_envelopes(shared: Bench, expression: str, shape: str, json_text: str) -> None:
    tool = shared.tool("gives", f"tool = define_tool(description='', execute=lambda: {expression})")

    answer = await shared.returned(tool)

    assert (answer.shape, (answer.json or b"").decode()) == (shape, json_text)
    assert answer.is_error == ("is_error" in expression)


@pytest.mark.rule("D7")
async def test_under_bot_a_mapping_with_a_status_is_a_plain_value(shared: Bench) -> None:
    tool = shared.tool(
        "gives", "tool = define_tool(description='', execute=lambda: {'status': 'error'})", folder="bot/tools"
    )

    assert (await shared.returned(tool)).shape == "json"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("{'a': [1, float('nan')]}", "The value at a[1] is nan, which JSON has no number for."),
        ("[float('-inf')]", "The value at [0] is -inf, which JSON has no number for."),
        (
            "{'data': b'x'}",
            "The value at data is a bytes, which is not JSON. Return text, or the bytes as a ToolAttachment.",
        ),
        ("{1, 2}", "The value is a set, which is not JSON. Return sorted(value) or list(value)."),
        ("{'when': __import__('datetime').date(2020, 1, 1)}", "The value at when is a date"),
        (
            "{'a': __import__('asyncio').sleep(0)}",
            "The value at a is a coroutine, which is not JSON. Write await in front of the call that gives it.",
        ),
        ("(lambda x: (x.append(x), x)[1])([])", "The value at [0] contains itself."),
        ("{'a': {(1, 2): 3}}", "The value at a has (1, 2) as a key; keys of a JSON object are text."),
        ("['\\ud83d']", "The value at [0] holds '\\ud83d', half of a surrogate pair"),
        ("'\\ud83d'", "The text holds '\\ud83d' at 0, half of a surrogate pair"),
        ("ToolResult('success', {'a': 1})", "ToolResult.result must be text, not dict."),
        (
            "ToolResult.success('', attachments=[ToolAttachment('a', 'b', b'raw')])",
            "attachments[0].data must be base64",
        ),
        ("ToolResult.success('', attachments=['a.png'])", "attachments[0] must be a ToolAttachment"),
    ],
)
async def test_what_cannot_be_handed_over_is_named_by_its_place(
    shared: Bench, expression: str, words: str
) -> None:
    tool = shared.tool("gives", f"tool = define_tool(description='', execute=lambda: {expression})")

    raised = await shared.raised(tool)

    assert raised.kind == "tool_error"
    assert words in raised.message


async def test_a_mapping_that_fails_when_it_is_read_is_an_error_of_the_tool(shared: Bench) -> None:
    tool = shared.tool(
        "trap",
        """
        from collections.abc import Mapping
        class Trap(Mapping):
            def __len__(self): return 1
            def __iter__(self): return iter("a")
            def __getitem__(self, key): raise OSError("sprung")
        tool = define_tool(description="", execute=Trap)
        """,
    )

    raised = await shared.raised(tool)

    assert (raised.type, raised.message) == ("OSError", "sprung")


async def test_a_value_nested_without_end_is_refused(shared: Bench) -> None:
    tool = shared.tool(
        "deep",
        """
        def execute():
            value = []
            for _ in range(100_000):
                value = [value]
            return value
        tool = define_tool(description="", execute=execute)
        """,
    )

    assert (await shared.raised(tool)).message == "The value is nested more than 512 levels deep."
    assert (await shared.raised(tool)).message == "The value is nested more than 512 levels deep."


@pytest.mark.rule("D8")
async def test_attachments_travel_as_they_are(shared: Bench) -> None:
    tool = shared.tool(
        "draws",
        """
        def execute():
            return ToolResult.success("two", attachments=[
                ToolAttachment.from_bytes("a.png", "image/png", b"\\x89PNG" * 100_000),
                AttachmentRef("/attachments/b.txt", "b.txt", "text/plain"),
                {"name": "c.txt", "mimeType": "text/plain", "data": "eA==", "width": 3},
            ])
        tool = define_tool(description="", execute=execute)
        """,
    )

    new, reference, mapping = (await shared.returned(tool)).attachments

    assert base64.b64decode(new.data or b"") == b"\x89PNG" * 100_000
    assert (new.name, new.mime_type, new.path) == ("a.png", "image/png", None)
    assert (reference.path, reference.data) == ("/attachments/b.txt", None)
    assert (mapping.data, mapping.width) == (b"eA==", 3)


@pytest.mark.rule("D7")
async def test_raising_gives_the_message_and_the_tools_own_frames_only(shared: Bench) -> None:
    shared.write("bot/lib/rates.py", "import json\ndef read(text):\n    return json.loads(text)\n")
    tool = shared.tool(
        "rate",
        """
        from bot.lib.rates import read
        def execute():
            try:
                read("{")
            except ValueError as error:
                raise RuntimeError("No rates today") from error
        tool = define_tool(description="", execute=execute)
        """,
        folder="bot/tools",
    )

    raised = await shared.raised(tool)

    assert (raised.kind, raised.type, raised.message) == ("tool_error", "RuntimeError", "No rates today")
    assert raised.stack.splitlines()[:4] == [
        '  File "bot/tools/rate.py", line 5, in execute',
        '    read("{")',
        '  File "bot/lib/rates.py", line 3, in read',
        "    return json.loads(text)",
    ]
    assert "json/decoder" not in raised.stack
    assert raised.stack.endswith("RuntimeError: No rates today")


async def test_the_stack_of_a_missing_key_names_its_type_once(shared: Bench) -> None:
    tool = shared.tool(
        "keyless",
        """
        from workbench.authoring import define_tool

        tool = define_tool(description="", execute=lambda state: {}["east"])
        """,
    )
    assert (await shared.raised(tool)).stack.endswith("\nKeyError: 'east'")


@pytest.mark.parametrize(
    ("statement", "type_name", "message"),
    [
        ("import sys; sys.exit(3)", "SystemExit", "The tool called sys.exit(3)."),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", "KeyboardInterrupt without a message"),
        ("{}['k']", "KeyError", "KeyError: 'k'"),
        ("raise ValueError('\\ud800')", "ValueError", "\\ud800"),
        ("input()", "EOFError", "EOF when reading a line"),
        ("import asyncio; raise asyncio.CancelledError('x')", "CancelledError", "x"),
    ],
)
async def test_whatever_is_raised_ends_the_call_alone(
    shared: Bench, statement: str, type_name: str, message: str
) -> None:
    tool = shared.tool(
        "raises", f"def execute():\n    {statement}\ntool = define_tool(description='', execute=execute)\n"
    )

    for _ in range(2):
        raised = await shared.raised(tool)
        assert (raised.type, raised.message) == (type_name, message)


@pytest.mark.parametrize(
    ("statement", "transient"),
    [
        ("raise TransientError('later')", True),
        ("raise TimeoutError", True),
        ("raise ConnectionResetError", True),
        ("import urllib.error; raise urllib.error.HTTPError('', 503, '', {}, None)", True),
        ("import urllib.error; raise urllib.error.HTTPError('', 404, '', {}, None)", False),
        ("import urllib.error; raise urllib.error.URLError(ConnectionRefusedError())", True),
        ("raise ValueError('503')", False),
    ],
)
async def test_a_failure_says_whether_it_may_pass(shared: Bench, statement: str, transient: bool) -> None:
    tool = shared.tool(
        "raises", f"def execute():\n    {statement}\ntool = define_tool(description='', execute=execute)\n"
    )

    assert (await shared.raised(tool)).transient is transient


async def test_a_predicate_is_evaluated_with_the_parsed_input(shared: Bench) -> None:
    tool = shared.tool(
        "asks",
        """
        from pydantic import BaseModel
        class Args(BaseModel):
            amount: int = 5
        async def needs(args):
            return args.amount > 3
        tool = define_tool(description="", args=Args, execute=lambda: None, needs_approval=needs)
        """,
    )

    yes = await shared.host.evaluate(tool, "needsApproval", b"{}")
    no = await shared.host.evaluate(tool, "needsApproval", b'{"amount": 1}')

    assert isinstance(yes, Returned)
    assert isinstance(no, Returned)
    assert (yes.json, no.json) == (b"true", b"false")
