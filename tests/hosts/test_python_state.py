"""What a tool's state asks of the engine, and what becomes of the answers (T7, T11, V3, C4)."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import cast

import pytest

from tests.hosts.conftest import Bench, RecordingLink
from workbench.engine.ports import Raised, Returned, StateError

pytestmark = pytest.mark.asyncio(loop_scope="module")


def refuse(method: str, params: Mapping[str, object]) -> object:
    raise StateError("MissingVariable", f"No value for {params['name']}.")


@pytest.mark.rule("V3")
async def test_a_missing_variable_raises_and_uncaught_it_names_its_kind(shared: Bench) -> None:
    catches = shared.tool(
        "catches",
        """
        async def execute(state):
            try:
                await state.env("KEY")
            except MissingVariable as error:
                return str(error)
        tool = define_tool(description="", execute=execute)
        """,
    )
    lets = shared.tool("lets", "tool = define_tool(description='', execute=lambda state: state.env('KEY'))")

    assert await shared.value(catches, link=RecordingLink(refuse)) == "No value for KEY."
    assert (await shared.raised(lets, link=RecordingLink(refuse))).kind == "missing_variable"


@pytest.mark.rule("T7")
async def test_values_keep_their_numbers_and_none_deletes(shared: Bench) -> None:
    tool = shared.tool(
        "values",
        """
        from decimal import Decimal
        def execute(state):
            state.set_value("a", {"n": Decimal("0.10"), "big": 2**70})
            state.storage.put("b", None)
            state.storage.delete("c")
            return state.getValue("a")
        tool = define_tool(description="", execute=execute)
        """,
    )
    kept: dict[str, object] = {}

    def values(method: str, params: Mapping[str, object]) -> object:
        if method == "setValue":
            kept[str(params["key"])] = params["json"]
            return None
        return kept.get(str(params["key"]))

    assert await shared.value(tool, link=RecordingLink(values)) == {"n": 0.1, "big": 2**70}
    assert kept == {"a": '{"n":0.10,"big":1180591620717411303424}', "b": None, "c": None}


@pytest.mark.rule("T7", "T11")
async def test_identity_is_there_and_what_a_run_has_is_none(shared: Bench) -> None:
    tool = shared.tool(
        "who",
        """
        def execute(state):
            try:
                state.arguments["x"] = 2
            except TypeError:
                fixed = True
            state.context["k"] = 1
            outside = [state.execution, state.flowId, state.agentConfig, state.currentSide, state.turnCount,
                       state.stopped, state.messageHistory, state.flow_id, state.message_history]
            return [state.threadId, state.agent_id, state.userId, dict(state.arguments), fixed, dict(state.context),
                    state.rootState is state, [value is None for value in outside].count(True)]
        tool = define_tool(description="", execute=execute)
        """,
    )

    for _ in range(2):
        answer = await shared.call(tool, agentId="bench", userId="u", arguments={"x": 1})
        assert getattr(answer, "json", None) == b'["thread-1","bench","u",{"x":1},true,{"k":1},true,9]'


@pytest.mark.rule("T11")
async def test_older_helpers_take_the_state_first(shared: Bench) -> None:
    tool = shared.tool(
        "older",
        """
        async def execute(state):
            queue_tool(state.root_state, "next", {"a": 1})
            await emit_thread_event(state, "went", {"b": 2})
            await state.emit("again", [1])
            state.queueTool("last")
        tool = define_tool(description="", execute=execute)
        """,
    )
    link = RecordingLink()

    await shared.returned(tool, link=link)

    assert link.asked == [
        ("queueTool", {"name": "next", "argumentsJson": '{"a":1}'}),
        ("queueTool", {"name": "last", "argumentsJson": "{}"}),
    ]
    assert link.emitted == [("went", {"b": 2}), ("again", [1])]


@pytest.mark.rule("C4")
async def test_a_refused_queue_tool_raises_at_the_call_even_in_async_code(shared: Bench) -> None:
    tool = shared.tool(
        "queues",
        """
        async def execute(state):
            try:
                state.queue_tool("other")
            except ValueError as error:
                return f"refused: {error}"
        tool = define_tool(description="", execute=execute)
        """,
    )

    def refusing(method: str, params: Mapping[str, object]) -> object:
        raise StateError("ValueError", "other is not in uses")

    assert await shared.value(tool, link=RecordingLink(refusing)) == "refused: other is not in uses"


async def test_an_invoked_tool_gives_a_tool_result(shared: Bench) -> None:
    tool = shared.tool(
        "invokes",
        """
        async def execute(state):
            result = await state.invoke_tool("other", {"x": 1})
            return [result.status, result.result, result.error, result.attachments[0].path]
        tool = define_tool(description="", execute=execute)
        """,
    )
    reference = {
        "id": "1",
        "type": "file",
        "path": "/attachments/a",
        "name": "a",
        "mimeType": "t/p",
        "size": 3,
    }
    result = {"status": "error", "result": None, "error": "no", "stack": "", "attachments": [reference]}

    assert await shared.value(tool, link=RecordingLink(lambda method, params: result)) == [
        "error",
        None,
        "no",
        "/attachments/a",
    ]


async def test_files_and_messages_come_as_bytes_and_records(shared: Bench) -> None:
    tool = shared.tool(
        "files",
        """
        def execute(state):
            state.write_file("/a.bin", b"\\x00\\xff", "application/x")
            state.write_file("/a.txt", "é")
            page = state.get_messages(limit=5, include_silent=True)
            message = page.messages[0]
            return [len(state.read_file("/a.bin")), message.tool_call_id, message["toolCallId"], message.absent,
                    page.has_more]
        tool = define_tool(description="", execute=execute)
        """,
    )

    def files(method: str, params: Mapping[str, object]) -> object:
        if method == "readFile":
            return base64.b64encode(b"x" * 100_000).decode()
        return (
            {"messages": [{"toolCallId": "t1"}], "total": 1, "hasMore": False}
            if method == "getMessages"
            else {}
        )

    link = RecordingLink(files)

    assert await shared.value(tool, link=link) == [100_000, "t1", "t1", None, False]
    assert link.asked[0] == ("writeFile", {"path": "/a.bin", "data": "AP8=", "mimeType": "application/x"})
    assert link.asked[1][1]["data"] == "w6k="
    assert link.asked[2][1] == {"limit": 5, "offset": 0, "order": "asc", "includeSilent": True, "maxDepth": 0}


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("state.set_value('k', {1, 2})", "The value is a set, which is not JSON."),
        ("state.emit('e', float('nan'))", "The value is nan"),
        ("state.set_env('K', '\\ud800')", "half of a surrogate pair"),
        ("state.nothing_like_it", "State has no attribute 'nothing_like_it'"),
        ("state.emitt('e')", "State has no attribute 'emitt'. Did you mean 'emit'?"),
    ],
)
async def test_what_the_state_cannot_take_raises_at_the_line(
    shared: Bench, statement: str, words: str
) -> None:
    tool = shared.tool(
        "asks", f"def execute(state):\n    {statement}\ntool = define_tool(description='', execute=execute)"
    )

    raised = await shared.raised(tool)

    assert words in raised.message
    assert raised.stack.startswith('  File "agents/tools/asks')


async def test_a_question_that_nobody_awaits_is_named_in_the_log_of_each_call(shared: Bench) -> None:
    tool = shared.tool(
        "hasty",
        """
        async def execute(state):
            state.set_value("seen", True)
        tool = define_tool(description="", execute=execute)
        """,
    )
    for _ in range(2):
        link = RecordingLink()
        await shared.returned(tool, link=link)
        assert "tools/hasty.py:" in link.printed("stderr")
        assert "coroutine 'set_value' was never awaited" in link.printed("stderr")
        assert link.asked == []


async def test_questions_from_threads_and_tasks_find_their_own_answers(shared: Bench) -> None:
    tool = shared.tool(
        "many",
        """
        import asyncio
        from concurrent.futures import ThreadPoolExecutor
        async def execute(state):
            def ask(n):
                return asyncio.run(state.env(f"T{n}"))
            with ThreadPoolExecutor(4) as pool:
                threads = [pool.submit(ask, n) for n in range(20)]
                tasks = await asyncio.gather(*(state.env(f"A{n}") for n in range(20)))
            return [thread.result() for thread in threads] + tasks
        tool = define_tool(description="", execute=execute)
        """,
    )

    answers = await shared.value(tool, link=RecordingLink(lambda _, params: params["name"]))

    assert answers == [f"T{n}" for n in range(20)] + [f"A{n}" for n in range(20)]


async def test_a_thread_left_behind_does_not_speak_for_the_next_call(shared: Bench) -> None:
    tool = shared.tool(
        "ghost",
        """
        import threading
        leave = threading.Event()
        said = []
        def haunt(state):
            leave.wait()
            try:
                state.emit("boo")
            except RuntimeError as error:
                said.append(str(error))
        def execute(state, args):
            if args.get("first"):
                threading.Thread(target=haunt, args=[state]).start()
                return
            leave.set()
            while not said:
                pass
            return said[0]
        tool = define_tool(description="", execute=execute)
        """,
    )
    link = RecordingLink()

    await shared.returned(tool, {"first": True})

    assert await shared.value(tool, link=link) == "The call is over; its state answers no more."
    assert not link.emitted


@pytest.mark.rule("T11")
async def test_the_run_is_there_under_its_new_and_older_names(shared: Bench) -> None:
    tool = shared.tool(
        "runs",
        """
        async def execute(state):
            run = state.execution
            await run.force_turn("b")
            run.forceTurn("a")
            run.stop()
            config = state.agentConfig
            return [
                [run.flow_id, run.currentSide, run.step_count, run.sideAStepCount, run.side_b_step_count],
                [run.prompt_path, run.stopped, run.stoppedBy, run.abort_signal.aborted],
                [state.flow_id, state.flowId, state.current_side, state.turnCount, state.turn_count, state.stopped],
                [state.messageHistory[0].tool_call_id, run.message_history[0].toolCallId, config.tool_description],
                dict(state.options),
            ]
        tool = define_tool(description="", execute=execute)
        """,
    )
    answers: dict[str, object] = {
        "stopped": {"stopped": True, "stoppedBy": "a"},
        "messageHistory": [{"toolCallId": "c1"}],
        "loadAgent": {"toolDescription": "Helps."},
    }
    execution = {
        "flowId": "thread-1",
        "currentSide": "a",
        "stepCount": 4,
        "sideAStepCount": 3,
        "sideBStepCount": 1,
        "promptPath": ["p", "sub"],
    }
    link = RecordingLink(lambda method, params: answers.get(method))

    answer = await shared.call(tool, link=link, execution=execution, options={"depth": 3})

    assert isinstance(answer, Returned), answer
    assert json.loads(answer.json or b"") == [
        ["thread-1", "a", 4, 3, 1],
        [["p", "sub"], True, "a", True],
        ["thread-1", "thread-1", "a", 4, 4, True],
        ["c1", "c1", "Helps."],
        {"depth": 3},
    ]
    assert link.asked[:3] == [("forceTurn", {"side": "b"}), ("forceTurn", {"side": "a"}), ("stop", {})]
    assert ("loadAgent", {"name": "bench"}) in link.asked


@pytest.mark.rule("T11")
async def test_every_method_of_a_run_is_asked_by_the_wires_name(shared: Bench) -> None:
    tool = shared.tool(
        "asks_all",
        """
        async def execute(state):
            await state.queue_message({"content": "Hello", "silent": True})
            await state.set_status("busy")
            await state.setStatus("busy")
            state.stop_session("done", failed=True, attachments=["/a"])
            await state.terminate()
            for load in (state.load_model, state.load_prompt, state.loadAgent):
                assert (await load("x")).name == "x"
            for names in (state.get_model_names, state.getPromptNames, state.get_agent_names):
                assert await names() == ["x"]
            queueTool(state, "next")
            await emitThreadEvent(state, "went")
        tool = define_tool(description="", execute=execute)
        """,
    )

    def answer(method: str, params: Mapping[str, object]) -> object:
        return ["x"] if method.endswith("Names") else {"name": "x"}

    link = RecordingLink(answer)

    await shared.returned(tool, link=link)

    assert link.asked == [
        ("queueMessage", {"content": "Hello", "silent": True}),
        ("setStatus", {"status": "busy"}),
        ("setStatus", {"status": "busy"}),
        ("stopSession", {"message": "done", "failed": True, "attachments": ["/a"]}),
        ("terminate", {}),
        ("loadModel", {"name": "x"}),
        ("loadPrompt", {"name": "x"}),
        ("loadAgent", {"name": "x"}),
        ("getModelNames", {}),
        ("getPromptNames", {}),
        ("getAgentNames", {}),
        ("queueTool", {"name": "next", "argumentsJson": "{}"}),
    ]
    assert link.emitted == [("went", None)]


# --- context


@pytest.mark.rule("T7")
async def test_the_context_comes_with_the_call_and_its_changes_go_back(shared: Bench) -> None:
    tool = shared.tool(
        "shares",
        """
        def execute(state):
            state.context["deep"]["list"].append(2)
            state.context["new"] = 2**70
            del state.context["gone"]
            state.context["open"] = {1, 2}
            return state.context["same"]
        tool = define_tool(description="", execute=execute)
        """,
    )
    context = {"deep": '{"list":[1]}', "gone": "1", "same": "0.10"}
    link = RecordingLink()

    answer = await shared.call(tool, link=link, context=context)

    assert isinstance(answer, Returned), answer
    changes = {"set": {"deep": '{"list":[1,2]}', "new": str(2**70)}, "removed": ["gone"]}
    assert link.asked == [("updateContext", changes)]
    assert link.printed("log") == (
        "state.context['open'] lasts for this call only. The value is a set, which is not JSON. "
        "Return sorted(value) or list(value).\n"
    )


@pytest.mark.rule("T7")
async def test_what_an_invoked_tool_leaves_in_the_context_is_seen_at_once(shared: Bench) -> None:
    tool = shared.tool(
        "invokes_sharing",
        """
        async def execute(state):
            kept = state.context
            kept["mine"] = 1
            kept["open"] = object
            await state.invoke_tool("other")
            return [kept["mine"], kept["theirs"], "old" in kept, kept["open"] is object, kept is state.context]
        tool = define_tool(description="", execute=execute)
        """,
    )

    def answer(method: str, params: Mapping[str, object]) -> object:
        return {"status": "success", "result": "ok", "context": {"mine": "1", "theirs": '"x"'}}

    link = RecordingLink(answer)

    result = await shared.call(tool, link=link, context={"old": "1"})

    assert getattr(result, "json", None) == b'[1,"x",false,true,true]'
    assert [method for method, _ in link.asked] == ["updateContext", "invokeTool"]
    assert link.asked[0][1] == {"set": {"mine": "1"}, "removed": []}


# --- other threads, and files in pieces


def relatives(method: str, params: Mapping[str, object]) -> object:
    """A child that has a parent; every other question is told what was asked."""
    if method == "relative":
        known = {"threadId": "child-1", "agentId": "worker", "arguments": {"n": 1}}
        return known if params == {"reference": "child-1"} else None
    if params.get("ofMethod") == "relative":
        return {"threadId": "thread-1", "agentId": "boss"}
    if params.get("ofMethod") in ("getMessages", "children"):
        return {"messages": [{"toolCallId": "t1"}]} if params["ofMethod"] == "getMessages" else []
    return None


REACHES = """
    {head}
        child = {wait}state.get_child_thread("child-1")
        assert {wait}state.getChildThread("other") is None
        assert {wait}state.get_parent_thread() is None
        page = {wait}child.get_messages()
        {wait}child.queue_message({{"content": "Hello."}})
        child.queue_tool("next")
        {wait}child.emit("went", {{"a": 1}})
        child.log("logged")
        parent = {wait}child.get_parent_thread()
        {wait}parent.set_status("seen")
        return [child.thread_id, child.agent_id, child.arguments["n"], child.execution, child.children,
                page.messages[0].tool_call_id, parent.agent_id]
    tool = define_tool(description="", execute=execute)
"""


@pytest.mark.rule("T18", "D4")
@pytest.mark.parametrize(
    ("name", "head", "wait"),
    [("reaches", "def execute(state):", ""), ("reaches_async", "async def execute(state):", "await ")],
)
async def test_other_threads_are_asked_in_their_name_by_plain_and_async_code(
    shared: Bench, name: str, head: str, wait: str
) -> None:
    tool = shared.tool(name, REACHES.format(head=head, wait=wait))
    link = RecordingLink(relatives)

    assert await shared.value(tool, link=link) == ["child-1", "worker", 1, None, [], "t1", "boss"]

    in_other = [params for method, params in link.asked if method == "inThread"]
    assert [(one["ofThread"], one["ofMethod"]) for one in in_other] == [
        ("child-1", "getMessages"),
        ("child-1", "queueMessage"),
        ("child-1", "queueTool"),
        ("child-1", "emit"),
        ("child-1", "relative"),
        ("thread-1", "setStatus"),
        ("child-1", "children"),
    ]
    assert in_other[1]["content"] == "Hello."
    assert in_other[3]["dataJson"] == '{"a":1}'
    assert link.emitted == []
    assert "logged" in link.printed("log")


READS = """
    {head}
        sizes = []
        {loop} piece in {wait}state.read_file_stream("/big"):
            sizes.append([piece.index, piece.count, len(piece.data)])
        assert {wait}state.read_file_stream("/none") is None
        {wait}state.write_file("/a.png", b"x", metadata={{"by": "me"}}, thumbnail=b"t", width=4, height=5)
        return [sizes, ({wait}state.get_file_thumbnail("/a.png")).decode()]
    tool = define_tool(description="", execute=execute)
"""


@pytest.mark.rule("D8", "D4")
@pytest.mark.parametrize(
    ("name", "head", "wait", "loop"),
    [
        ("reads", "def execute(state):", "", "for"),
        ("reads_async", "async def execute(state):", "await ", "async for"),
    ],
)
async def test_a_file_is_read_in_pieces_of_one_version(
    shared: Bench, name: str, head: str, wait: str, loop: str
) -> None:
    tool = shared.tool(name, READS.format(head=head, wait=wait, loop=loop))

    def files(method: str, params: Mapping[str, object]) -> object:
        if method == "readFilePart" and params["path"] == "/big":
            data = base64.b64encode(b"x" * (3 - cast("int", params["index"]))).decode()
            return {"data": data, "index": params["index"], "count": 3, "version": "v1"}
        return base64.b64encode(b"small").decode() if method == "getFileThumbnail" else None

    link = RecordingLink(files)

    assert await shared.value(tool, link=link) == [[[0, 3, 3], [1, 3, 2], [2, 3, 1]], "small"]
    assert [params.get("version") for method, params in link.asked if method == "readFilePart"] == [
        None,
        "v1",
        "v1",
        None,
    ]
    written = next(params for method, params in link.asked if method == "writeFile")
    about = {name: written[name] for name in ("metadata", "thumbnail", "width", "height")}
    assert about == {"metadata": '{"by":"me"}', "thumbnail": "dA==", "width": 4, "height": 5}


async def test_a_bare_text_for_a_message_is_answered_with_what_a_message_is(shared: Bench) -> None:
    tool = shared.tool(
        "says",
        """
        async def execute(state):
            await state.queue_message("Hello")
        tool = define_tool(description="", execute=execute)
        """,
    )

    answer = await shared.call(tool)

    assert isinstance(answer, Raised)
    assert (
        answer.message
        == 'A message is a mapping of fields, such as {"role": "user", "content": "…"}, not a str.'
    )
