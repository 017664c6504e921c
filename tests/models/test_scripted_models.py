"""A scripted model plays its file: in order, by what it is told, in pieces, and says in words what is missing."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base.clock import Clock
from workbench.base.errors import RunError
from workbench.base.ids import CallId, MessageId, RequestId, ThreadId
from workbench.domain.model_answers import (
    Answer,
    ArgumentsDelta,
    CallNamed,
    Delta,
    Finished,
    FinishReason,
    ModelFailureKind,
    ReasoningDelta,
    TextDelta,
    Usage,
    UsageReported,
)
from workbench.domain.model_requests import (
    FilePart,
    ModelRequest,
    TextPart,
    ToolTurn,
    Turn,
    UserTurn,
)
from workbench.domain.models import Provider
from workbench.domain.requests import Request, RequestState
from workbench.domain.threads import Answered, Message, Role, SentCall
from workbench.engine.models.assembly import Assembly
from workbench.engine.models.pieces import Pieces
from workbench.engine.ports import ModelAccess, ModelError
from workbench.models import Script, ScriptedModels, recorded_script, written
from workbench.models.script_reading import read_script


def user(text: str) -> UserTurn:
    return UserTurn(content=(TextPart(text=text),))


def result(text: str, *, tool: str = "look_up", is_error: bool = False) -> ToolTurn:
    return ToolTurn(call_id="c", name=tool, content=(TextPart(text=text),), is_error=is_error)


def asked(*turns: Turn, answers: int = 0, model: str = "s.json", conversation: str = "t") -> ModelRequest:
    return ModelRequest(
        provider=Provider.SCRIPTED, model=model, turns=turns, answers=answers, conversation=conversation
    )


def models(script: dict[str, Any]) -> ScriptedModels:
    made = ScriptedModels(Path())
    made.add("s.json", Script.model_validate(script))
    return made


async def played(port: ScriptedModels, request: ModelRequest) -> list[Delta]:
    return [delta async for delta in port.stream(request, ModelAccess())]


async def answered(port: ScriptedModels, request: ModelRequest) -> Answer:
    assembly = Assembly(request)
    for delta in await played(port, request):
        assembly.add(delta)
    return assembly.answer()


async def text(port: ScriptedModels, request: ModelRequest) -> str:
    return (await answered(port, request)).text


async def refusal(port: ScriptedModels, request: ModelRequest) -> str:
    with pytest.raises(ModelError) as raised:
        await played(port, request)
    assert raised.value.failure.kind is ModelFailureKind.REJECTED
    return str(raised.value)


# --- a file ------------------------------------------------------------------------------------------------


async def test_a_file_of_the_project_is_played(tmp_path: Path) -> None:
    step = {
        "reasoning": "Hm.",
        "text": "Hello",
        "calls": [{"name": "look_up", "arguments": {"intent": "x", "n": 1.50}}],
    }
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "a.json").write_text(json.dumps({"steps": [step]}), "utf-8")

    answer = await answered(ScriptedModels(tmp_path), asked(user("Hi"), model="scripts/a.json"))

    assert answer.text == "Hello"
    assert answer.reason is FinishReason.TOOL_CALLS
    assert json.loads(answer.calls[0].arguments) == {"intent": "x", "n": 1.5}


async def test_numbers_keep_their_digits(tmp_path: Path) -> None:
    script = '{"steps": [{"calls": [{"name": "t", "arguments": {"n": 1.50, "big": 12345678901234567890}}]}]}'
    (tmp_path / "a.json").write_text(script, "utf-8")

    answer = await answered(ScriptedModels(tmp_path), asked(user("Hi"), model="a.json"))

    assert answer.calls[0].arguments == '{"n":1.50,"big":12345678901234567890}'


async def test_an_edited_file_is_played_as_it_is_now(tmp_path: Path) -> None:
    port, file = ScriptedModels(tmp_path), tmp_path / "a.json"
    for words in ("before", "after"):
        file.write_text(json.dumps({"steps": [{"text": words}]}), "utf-8")
        assert await text(port, asked(user("Hi"), model="a.json")) == words


async def test_an_edit_that_keeps_size_and_time_is_played_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, file = ScriptedModels(tmp_path), tmp_path / "a.json"
    file.write_text('{"steps": [{"text": "one"}]}', "utf-8")
    before = file.stat()
    with monkeypatch.context() as later:
        later.setattr(
            "time.time_ns", lambda: before.st_ctime_ns + 60_000_000_000
        )  # it has rested: it is remembered
        assert await text(port, asked(user("Hi"), model="a.json")) == "one"
    async with asyncio.timeout(20):
        while file.stat().st_ctime_ns == before.st_ctime_ns:  # the file system's clock ticks now and then
            file.write_text('{"steps": [{"text": "two"}]}', "utf-8")
            os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
            await asyncio.sleep(0)

    assert await text(port, asked(user("Hi"), model="a.json")) == "two"


async def test_edits_in_quick_succession_are_each_played(tmp_path: Path) -> None:
    port, file = ScriptedModels(tmp_path), tmp_path / "a.json"
    for number in range(200):
        words = f"{number:03}"
        file.write_text(json.dumps({"steps": [{"text": words}]}), "utf-8")
        assert await text(port, asked(user("Hi"), model="a.json")) == words


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read: there is no such file."),
        ("{", "line 1"),
        ('{"steps": [{"txet": "x"}]}', "line 1: steps[0].txet is not known here"),
        ('{"steps": [{"fail": {"kind": "sadness"}}]}', 'steps[0].fail.kind must be "auth"'),
        ("[]", "object"),
        ('{"pace": {"characters": 0}}', "pace.characters must be at least 1."),
    ],
)
async def test_a_script_that_cannot_be_played_says_where_it_is_wrong(
    tmp_path: Path, content: str | None, words: str
) -> None:
    if content is not None:
        (tmp_path / "a.json").write_text(content, "utf-8")

    assert words in await refusal(ScriptedModels(tmp_path), asked(user("Hi"), model="a.json"))


async def test_without_any_file_there_is_a_script() -> None:
    port = ScriptedModels(Path())

    assert "Good morning" in await text(port, asked(user("Good morning"), model="default"))
    assert "42" in await text(port, asked(user("Hi"), result("42"), model="default"))
    assert "failed: no" in await text(port, asked(user("Hi"), result("no", is_error=True), model="default"))


# --- which step answers ------------------------------------------------------------------------------------


async def test_steps_answer_in_order_in_each_conversation() -> None:
    port = models({"steps": [{"text": "one"}, {"text": "two"}]})

    for conversation in ("a", "b"):
        said = [await text(port, asked(user("Hi"), answers=n, conversation=conversation)) for n in (0, 1)]
        assert said == ["one", "two"]


async def test_where_a_script_goes_on_follows_from_the_request_alone() -> None:
    fresh = models({"steps": [{"text": "one"}, {"text": "two"}, {"text": "three"}]})

    assert await text(fresh, asked(user("Hi"), answers=2)) == "three"
    assert await text(fresh, asked(user("Hi"), answers=1)) == "two"


REPLIES = {
    "steps": [{"text": "Welcome."}],
    "replies": [
        {"when": {"user": "refund"}, "text": "About the refund."},
        {"when": {"tool": "look_up", "isError": True}, "text": "It failed."},
        {"when": {"tool": "look_up", "result": "fragile"}, "text": "Careful!"},
        {"when": {"tool": "look_up"}, "text": "Found."},
        {"when": {"user": ""}, "text": "I hear."},
    ],
}


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (user("A REFUND please"), "About the refund."),
        (user("Anything"), "I hear."),
        (result("All well"), "Found."),
        (result("FRAGILE goods"), "Careful!"),
        (result("refund", is_error=True), "It failed."),
    ],
)
async def test_after_its_steps_a_script_replies_to_what_it_is_told(last: Turn, said: str) -> None:
    port = models(REPLIES)

    assert [await text(port, asked(user("x"), last, answers=n)) for n in (1, 2)] == [said, said]


async def test_a_script_that_has_no_more_to_say_says_so() -> None:
    assert "no more" in await text(models({}), asked(user("Hi")))


async def test_a_strict_script_fails_in_words_when_an_answer_is_missing() -> None:
    words = await refusal(
        models({"steps": [{"text": "one"}], "strict": True}), asked(result("the end"), answers=1)
    )

    assert "no answer number 2" in words
    assert "the end" in words


async def test_a_step_that_does_not_fit_fails_in_words() -> None:
    port = models({"steps": [{"when": {"user": "refund"}, "text": "x"}]})

    words = await refusal(port, asked(user("Good morning")))

    assert "refund" in words
    assert "Good morning" in words


async def test_a_strict_script_says_which_steps_were_not_asked_for() -> None:
    port = models({"steps": [{"text": "one"}, {"fail": {"kind": "server"}}, {"text": "two"}], "strict": True})
    await played(port, asked(user("Hi")))

    with pytest.raises(RunError, match=r"s\.json: 1 of 2 steps"):
        port.check_used()

    with pytest.raises(ModelError):
        await played(port, asked(user("Hi"), answers=1))
    await played(port, asked(user("Hi"), answers=1))
    port.check_used()


async def test_failures_are_met_one_by_one_and_the_words_before_them_streamed() -> None:
    steps = [
        {"text": "Half", "fail": {"kind": "overloaded", "message": "Too much.", "retryAfter": 3}},
        {"fail": {"kind": "timeout"}},
        {"text": "Whole"},
    ]
    port, heard = models({"steps": steps}), list[Delta]()

    async def listen() -> None:
        async for delta in port.stream(asked(user("Hi")), ModelAccess()):
            heard.append(delta)

    with pytest.raises(ModelError, match="Too much") as first:
        await listen()
    with pytest.raises(ModelError) as second:
        await listen()

    assert heard == [TextDelta(text="Half")]
    assert (first.value.failure.kind, first.value.failure.retry_after) == (ModelFailureKind.OVERLOADED, 3)
    assert second.value.failure.kind is ModelFailureKind.TIMEOUT
    assert await text(port, asked(user("Hi"))) == "Whole"


# --- how it is told ----------------------------------------------------------------------------------------


async def test_an_answer_comes_in_pieces_with_pauses() -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    port = ScriptedModels(Path(), pause=pause)
    step = {"reasoning": "abc", "text": "defg", "calls": [{"name": "t", "arguments": {"a": 1}, "id": "c1"}]}
    port.add("s.json", Script.model_validate({"steps": [step], "pace": {"characters": 3, "pauseMs": 20}}))

    *told, usage, end = await played(port, asked(user("Hi")))

    assert told == [
        ReasoningDelta(text="abc"),
        TextDelta(text="def"),
        TextDelta(text="g"),
        CallNamed(index=0, id="c1", name="t"),
        ArgumentsDelta(index=0, text='{"a'),
        ArgumentsDelta(index=0, text='":1'),
        ArgumentsDelta(index=0, text="}"),
    ]
    assert isinstance(usage, UsageReported)
    assert end == Finished(reason=FinishReason.TOOL_CALLS)
    assert pauses == [0.02] * 7


async def test_usage_and_end_are_as_the_script_says() -> None:
    usage = {"inputTokens": 5, "outputTokens": 6, "cachedTokens": 1, "reasoningTokens": 2, "cost": "0.5"}
    answer = await answered(
        models({"steps": [{"text": "x", "usage": usage, "finish": "length"}]}), asked(user("Hi"))
    )

    assert answer.usage == Usage.model_validate(usage)
    assert answer.reason is FinishReason.LENGTH


async def test_arguments_as_text_are_sent_as_they_are() -> None:
    steps = [{"calls": [{"name": "t", "arguments": '{"a": oops'}], "finish": "length"}]

    answer = await answered(models({"steps": steps}), asked(user("Hi")))

    assert answer.calls[0].arguments == '{"a": oops'
    assert answer.cut_calls == (answer.calls[0].id,)


async def test_marks_stand_for_what_was_said_and_found() -> None:
    step = {
        "text": "You said {{user}}; it weighs {{ result.parcels.1.weight }} of {{result.unit}}{{result.absent}}.",
        "calls": [
            {
                "name": "t",
                "arguments": {"w": "{{result.parcels.1.weight}}", "note": "for {{user}}", "l": ["{{user}}"]},
            }
        ],
    }
    found = '{"parcels": [{"weight": 1}, {"weight": 2.50}], "unit": "kg"}'

    answer = await answered(models({"steps": [step]}), asked(user('"Hi"'), result(found)))

    assert answer.text == 'You said "Hi"; it weighs 2.50 of kg.'
    assert answer.calls[0].arguments == '{"w":2.50,"note":"for \\"Hi\\"","l":["\\"Hi\\""]}'


async def test_a_file_in_a_message_is_named() -> None:
    picture = UserTurn(
        content=(TextPart(text="See"), FilePart(mime_type="image/png", data=b"", name="p.png"))
    )

    assert "p.png" in await text(models({"steps": [{"text": "{{user}}"}]}), asked(picture))


# --- recordings --------------------------------------------------------------------------------------------


def message(**fields: Any) -> Message:
    return Message(id=MessageId("m"), thread_id=ThreadId("t"), role=Role.ASSISTANT, created_at=0, **fields)


def request(pieces: str, *, conversation: str = "a", reason: FinishReason = FinishReason.STOP) -> Request:
    return Request(
        id=RequestId("r"),
        thread_id=ThreadId("t"),
        side="a",
        step=1,
        prompt="p",
        conversation=conversation,
        state=RequestState.ANSWERED,
        created_at=0,
        message_id=MessageId("m"),
        reason=reason,
        pieces=pieces,
    )


def recorded(said: Message, pieces: str, *, after: Turn | None = None) -> Script:
    """The script of one answer, as it is read from its file."""
    asked = {RequestId("r"): after} if after is not None else {}
    script = read_script(written(recorded_script([request(pieces)], {said.id: said}, asked)))
    assert isinstance(script, Script)
    return script


def pieces_of(deltas: Iterable[Delta], clock: Clock) -> str:
    heard = Pieces(clock)
    for delta in deltas:
        if isinstance(delta, TextDelta | ReasoningDelta | CallNamed | ArgumentsDelta):
            heard.hear(delta)
    return heard.kept()


class Ticking:
    """A clock that moves by 10 ms each time it is asked."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now_us(self) -> int:
        return int(self.seconds * 1_000_000)

    def monotonic(self) -> float:
        self.seconds += 0.01
        return self.seconds


@pytest.mark.rule("T20")
async def test_an_answer_is_played_in_the_pieces_in_which_it_came() -> None:
    came: list[Delta] = [
        ReasoningDelta(text="Hm"),
        ReasoningDelta(text="."),
        TextDelta(text="Let me {{user}}"),
        ArgumentsDelta(index=4, text='{"a": 1'),
        CallNamed(index=4, id="c4", name="t"),
        CallNamed(index=1, id="c1", name="look"),
        ArgumentsDelta(index=4, text=".50, oops"),
        CallNamed(index=1, id="c1", name="look_up"),
        TextDelta(text=" see."),
        ArgumentsDelta(index=1, text=""),
    ]
    asking = asked(user("Hi"))
    assembly = Assembly(asking)
    for delta in (*came, Finished(reason=FinishReason.TOOL_CALLS)):
        assembly.add(delta)
    answer = assembly.answer()
    said = message(content=answer.text, answered=Answered(parts=answer.parts))
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    port = ScriptedModels(Path(), pause=pause)
    port.add("s.json", recorded(said, pieces_of(came, Ticking())))

    assert (await played(port, asking))[:-1] == came
    assert pauses == pytest.approx([0.01] * len(came) + [0.0])


@given(
    texts=st.lists(st.text(max_size=20), max_size=6),
    arguments=st.lists(st.text(max_size=30), max_size=3),
    kept=st.text(alphabet="0123456789trna: ", max_size=40),
)
async def test_whatever_is_kept_of_pieces_the_answer_says_the_same(
    texts: list[str], arguments: list[str], kept: str
) -> None:
    calls = [SentCall(id=CallId(f"c{at}"), name="t", arguments=text) for at, text in enumerate(arguments)]
    said = message(content="".join(texts) or None, tool_calls=tuple(calls))
    port = ScriptedModels(Path(), pause=no_pause)
    port.add("s.json", recorded(said, kept))

    again = await answered(port, asked(user("Hi")))

    assert again.text == "".join(texts)
    assert [call.arguments for call in again.calls] == arguments


async def no_pause(_: float) -> None:
    """Wait for nothing."""


@pytest.mark.rule("T20")
async def test_a_recording_says_where_a_conversation_goes_another_way() -> None:
    after_user = ScriptedModels(Path())
    after_user.add("s.json", recorded(message(content="Yes."), "0t4", after=user("May I?")))
    after_tool = ScriptedModels(Path())
    after_tool.add("s.json", recorded(message(content="Yes."), "0t4", after=result("1")))

    assert await text(after_user, asked(user("May I?"))) == "Yes."
    assert "'May I?'" in await refusal(after_user, asked(user("Hello")))
    assert await text(after_tool, asked(user("x"), result("2"))) == "Yes."
    assert "'look_up'" in await refusal(after_tool, asked(user("x"), result("2", is_error=True)))
    assert "no answer number 2" in await refusal(after_tool, asked(user("And?"), answers=1))
    after_user.check_used()


async def test_steps_of_a_part_of_a_thread_play_there_only() -> None:
    steps = [{"text": "one"}, {"conversation": "a/helper", "text": "deep"}, {"text": "two"}]
    port = models({"strict": True, "steps": steps, "replies": [{"conversation": "b", "text": "more"}]})

    assert await text(port, asked(user("x"), conversation="a", answers=1)) == "two"
    assert await text(port, asked(user("x"), conversation="a/helper", answers=1)) == "deep"
    assert "It has 2 steps" in await refusal(port, asked(user("x"), conversation="a", answers=2))
    assert await text(port, asked(user("x"), conversation="b", answers=2)) == "more"
