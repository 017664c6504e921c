"""A history with something of everything, put into a store by hand, and what an archive of it holds."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

from workbench.base.ids import CallId, EffectId, MessageId, RequestId, ThreadId, new_call_id, uuid7
from workbench.domain.calls import AttachmentRef, Call, CallState, Origin, ToolResult
from workbench.domain.effects import EffectRun
from workbench.domain.events import CallFinished, CallLogged, CallSeen, ThreadMoved
from workbench.domain.model_requests import (
    AssistantTurn,
    FilePart,
    ModelRequest,
    TextPart,
    ToolCallPart,
    ToolTurn,
    UserTurn,
)
from workbench.domain.models import Provider
from workbench.domain.requests import Attempt, Request, RequestState
from workbench.domain.threads import Message, Role, SentCall, Thread, ThreadKind, ThreadStatus
from workbench.domain.variables import Scope, VariableRow, VariableType
from workbench.domain.writes import (
    AppendEvent,
    PutCall,
    PutDefinition,
    PutEffect,
    PutMessage,
    PutRequest,
    PutThread,
    PutVariable,
    SetValue,
    Write,
    WriteFile,
)
from workbench.engine.ports import Store

AT = 1_750_000_000_000_000
"""June 2025, in microseconds."""
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63504858000001"
    "c40121625f8afd0000000049454e44ae426082"
)
"""One dot."""


def agents_thread(agent: str = "desk", **more: object) -> Thread:
    """A thread that has done its work."""
    known = {"id": uuid7(), "kind": ThreadKind.AGENT, "created_at": AT, "updated_at": AT + 9, "agent": agent}
    return Thread.model_validate({**known, "origin_agent": agent, **more})


def ended_call(thread_id: ThreadId, tool: str, text: str = "done", **more: object) -> Call:
    """A call that succeeded."""
    known = {
        "id": new_call_id(tool),
        "thread_id": thread_id,
        "tool": tool,
        "origin": Origin.MODEL,
        "state": CallState.SUCCEEDED,
        "arguments": '{"of": "tubes"}',
        "created_at": AT + 1,
        "started_at": AT + 2,
        "finished_at": AT + 3,
        "definition": "d" * 64,
        "result": ToolResult(text=text),
        "log": "looked up\n",
    }
    return Call.model_validate({**known, **more})


def picture(path: str = "/attachments/tube.png") -> AttachmentRef:
    name = path.rsplit("/", 1)[-1]
    return AttachmentRef(
        id=uuid7(), path=path, name=name, mime_type="image/png", size=len(PNG), width=1, height=1
    )


def asked_and_answered(thread: Thread, call: Call, result: str, child: str = "") -> list[Write]:
    """A thread's messages, with what its model was sent for each of its two requests."""
    first, second, third, fourth = (MessageId(uuid7()) for _ in range(4))
    sent = SentCall(id=call.id, name=call.tool, arguments=call.arguments)
    question = UserTurn(content=(TextPart(text="What is a tube?"), FilePart(mime_type="image/png", data=PNG)))
    answer = AssistantTurn(parts=(ToolCallPart(id="c1", name=call.tool, arguments=call.arguments),))
    told = ToolTurn(call_id="c1", name=call.tool, content=(TextPart(text=result),))
    asked = ModelRequest(provider=Provider.SCRIPTED, model="m", system=f"Help. {child}", turns=(question,))

    def request(step: int, message_id: MessageId) -> Request:
        attempt = Attempt(model="m", provider="scripted", model_id="m", started_at=AT, ended_at=AT + 1)
        return Request(
            id=RequestId(uuid7()),
            thread_id=thread.id,
            side="a",
            step=step,
            prompt="helps",
            conversation="a",
            state=RequestState.ANSWERED,
            created_at=AT,
            message_id=message_id,
            attempts=(attempt,),
        )

    def message(id: MessageId, role: Role, content: str | None, **more: object) -> Message:
        known = {"id": id, "thread_id": thread.id, "role": role, "created_at": AT, "content": content}
        return Message.model_validate({**known, **more})

    longer = asked.model_copy(update={"turns": (question, answer, told)})
    return [
        PutMessage(message(first, Role.USER, "What is a tube?")),
        PutRequest(request(1, second), asked, (first,)),
        PutMessage(message(second, Role.ASSISTANT, None, tool_calls=(sent,), prompt="helps")),
        PutCall(call.model_copy(update={"message_id": second, "result_message_id": third})),
        PutMessage(
            message(
                third,
                Role.TOOL,
                result,
                name=call.tool,
                tool_call_id=call.id,
                attachments=call.result.attachments if call.result else (),
            )
        ),
        PutRequest(request(2, fourth), longer, (first, second, third)),
        PutMessage(message(fourth, Role.ASSISTANT, f"A round box. {child}", prompt="helps")),
    ]


async def put_history(store: Store) -> tuple[Thread, Thread]:
    """A thread and one below it, which a call of the first made; with files, values, variables and effects."""
    parent = agents_thread(name="Tubes", tags=("post",), arguments={"who": "Ann"})
    made = ended_call(parent.id, "subagent_create")
    child = agents_thread("packer", parent_id=parent.id, made_by=made.id, relationship="packer")
    made = made.model_copy(
        update={"result": ToolResult(text=f"reference: {child.id}", attachments=(picture(),))}
    )
    packed = ended_call(child.id, "pack")
    await store.commit(
        PutDefinition("d" * 64, "pack", "agents/tools/pack.py", "# the source", '{"type":"object"}'),
        PutThread(parent),
        PutThread(child),
        *asked_and_answered(parent, made, f"reference: {child.id}", child.id),
        *asked_and_answered(child, packed, "done"),
        WriteFile(parent.id, "/attachments/tube.png", PNG, "image/png", 1, 1, '{"of":"it"}', b"small"),
        WriteFile(parent.id, "/notes.txt", b"read me", "text/plain"),
        AppendEvent(
            CallSeen(thread_id=parent.id, at=AT, call_id=made.id, tool=made.tool, origin=Origin.MODEL)
        ),
        AppendEvent(
            CallLogged(thread_id=parent.id, at=AT, call_id=made.id, stream="stdout", text="looked up\n")
        ),
        AppendEvent(
            CallFinished(
                thread_id=parent.id,
                at=AT,
                call_id=made.id,
                state=CallState.SUCCEEDED,
                result=made.result or ToolResult(),
                duration_ms=1,
            )
        ),
        AppendEvent(ThreadMoved(thread_id=parent.id, at=AT, status=ThreadStatus.IDLE)),
        SetValue(parent.id, "child", f'{{"id":"{child.id}","exact":1.50}}'),
        PutVariable(own_variable(parent.id, "COLOUR", "red")),
        PutEffect(effect(parent.id)),
    )
    return parent, child


async def put_bench_call(store: Store, name: str = "tube.png", *, nested: bool = False) -> Call:
    """A call by hand that attached a picture; with `nested` it made another one."""
    bench = await store.bench_thread()
    if bench is None:
        bench = Thread(id=ThreadId(uuid7()), kind=ThreadKind.BENCH, created_at=AT, updated_at=AT)
        await store.commit(PutThread(bench))
    path = f"/attachments/{name}"
    call = ended_call(bench.id, "draw", "drawn", origin=Origin.FORM)
    call = call.model_copy(update={"result": ToolResult(text="drawn", attachments=(picture(path),))})
    result = Message(
        id=MessageId(uuid7()),
        thread_id=bench.id,
        role=Role.TOOL,
        created_at=AT,
        content="drawn",
        tool_call_id=call.id,
        attachments=(picture(path),),
    )
    writes: list[Write] = [
        PutCall(call.model_copy(update={"result_message_id": result.id})),
        PutMessage(result),
        WriteFile(bench.id, path, PNG, "image/png", 1, 1),
        AppendEvent(CallSeen(thread_id=bench.id, at=AT, call_id=call.id, tool="draw", origin=Origin.FORM)),
    ]
    if nested:
        inner = ended_call(bench.id, "mix", origin=Origin.INVOKE, parent_call_id=call.id)
        writes.append(PutCall(inner))
    await store.commit(*writes)
    return call


def own_variable(thread_id: ThreadId, name: str, value: str) -> VariableRow:
    return VariableRow(
        scope=Scope.THREAD, name=name, type=VariableType.TEXT, value=value, thread_id=thread_id
    )


def effect(thread_id: ThreadId, **more: object) -> EffectRun:
    """One that is still to come."""
    known = {"id": EffectId(uuid7()), "thread_id": thread_id, "name": "remind", "arguments": "{}"}
    return EffectRun.model_validate({**known, "created_at": AT, "due_at": 4_000_000_000_000_000, **more})


def members_of(path: Path) -> dict[str, bytes]:
    """What an archive holds, without its manifest."""
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "manifest.json"}


def lines_of(path: Path, kind: str) -> list[dict[str, object]]:
    """The rows of a kind in an archive."""
    return [json.loads(line) for line in members_of(path)[f"{kind}.jsonl"].splitlines()]


def call_id(text: object) -> CallId:
    return CallId(str(text))
