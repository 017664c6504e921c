"""A scripted model plays its file: in order, by what it is told, in pieces, and says in words what is missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.base.errors import RunError
from workbench.base.ids import CallId, MessageId, ThreadId
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
    ReasoningPart,
    TextPart,
    ToolTurn,
    Turn,
    UserTurn,
)
from workbench.domain.models import Provider
from workbench.domain.threads import Answered, Message, Role, SentCall
from workbench.engine.models.assembly import Assembly
from workbench.engine.ports import ModelAccess, ModelError
from workbench.models import Recorder, Script, ScriptedModels, script_of


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


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        ("{", "line 1"),
        ('{"steps": [{"txet": "x"}]}', "steps.0.txet"),
        ('{"steps": [{"fail": {"kind": "sadness"}}]}', "steps.0.fail.kind"),
        ("[]", "object"),
        ('{"pace": {"characters": 0}}', "pace.characters"),
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


class Ticking:
    """A clock that moves by 10 ms each time it is asked."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now_us(self) -> int:
        return int(self.seconds * 1_000_000)

    def monotonic(self) -> float:
        self.seconds += 0.01
        return self.seconds


async def test_a_recorded_stream_is_played_as_it_came() -> None:
    original = models({"steps": [{"text": "A long answer in pieces", "calls": [{"name": "t"}]}]})
    recorder, heard = Recorder(Ticking()), list[Delta]()
    async for delta in original.stream(asked(user("Hi")), ModelAccess()):
        recorder.hear(delta)
        heard.append(delta)
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    again = ScriptedModels(Path(), pause=pause)
    kept = Script(steps=(recorder.step(),)).model_dump_json(by_alias=True)
    again.add("s.json", Script.model_validate_json(kept))

    assert await played(again, asked(user("Hi"))) == heard
    assert pauses == pytest.approx([0.01] * len(heard))


async def test_a_thread_becomes_a_script_that_says_the_same() -> None:
    def message(role: Role, **fields: Any) -> Message:
        return Message(id=MessageId("m"), thread_id=ThreadId("t"), role=role, created_at=0, **fields)

    call = SentCall(id=CallId("c"), name="t", arguments='{"a": 1.50, oops')
    thought = Answered(parts=(ReasoningPart(text="Hm."), TextPart(text="Let me see.")))
    script = script_of(
        [
            message(Role.USER, content="Hi"),
            message(Role.ASSISTANT, content="Let me see.", tool_calls=(call,), answered=thought),
            message(Role.TOOL, content="42", tool_call_id=call.id),
            message(Role.ASSISTANT, content="It is 42."),
        ]
    )
    port = ScriptedModels(Path())
    port.add("s.json", script)

    first = await answered(port, asked(user("Hi")))
    assert [part.text for part in first.parts if isinstance(part, ReasoningPart | TextPart)] == [
        "Hm.",
        "Let me see.",
    ]
    assert [(made.name, made.arguments) for made in first.calls] == [("t", call.arguments)]
    assert await text(port, asked(user("Hi"), result("42"), answers=1)) == "It is 42."
    port.check_used()
