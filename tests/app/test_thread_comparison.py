"""Two threads are aligned by what they say: an entry more or less shifts no other, and ids and times do not differ."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.app.results.differences import Change
from workbench.app.threads.thread_comparison import Comparison, Match, compare_entries
from workbench.app.threads.thread_entries import Entry, entries_of
from workbench.base.ids import CallId, MessageId, ThreadId, new_call_id, uuid7
from workbench.domain.calls import AttachmentRef, CallState, FailureKind, Origin
from workbench.domain.pages import CallSummary
from workbench.domain.threads import Message, Role, SentCall

_TIMES = itertools.count(1_000)


class Talk:
    """A history, made message by message as an agent makes it; each with ids and times of its own."""

    def __init__(self) -> None:
        self.id = ThreadId(uuid7())
        self.messages: list[Message] = []
        self.calls: list[CallSummary] = []

    def say(self, role: Role, text: str, *, inside: MessageId | None = None, **more: object) -> MessageId:
        said = {
            "id": uuid7(),
            "thread_id": self.id,
            "role": role,
            "created_at": next(_TIMES),
            "content": text,
        }
        depth = {"depth": 1, "parent_id": inside} if inside is not None else {}
        self.messages.append(Message.model_validate({**said, **depth, **more}))
        return self.messages[-1].id

    def call(self, tool: str, arguments: str, result: str, *, text: str = "", **more: object) -> MessageId:
        """An answer that calls a tool, and the result; gives the id of the result."""
        sent = SentCall(id=new_call_id(tool), name=tool, arguments=arguments)
        self.say(Role.ASSISTANT, text, tool_calls=(sent,))
        line = {"id": sent.id, "thread_id": self.id, "tool": tool, "origin": Origin.MODEL, "created_at": 1}
        line |= {"state": CallState.SUCCEEDED, "started_at": next(_TIMES), "duration_ms": next(_TIMES)}
        self.calls.append(CallSummary.model_validate({**line, **more}))
        return self.say(Role.TOOL, result, tool_call_id=sent.id, name=tool)

    def entries(self) -> tuple[Entry, ...]:
        return entries_of(self.messages, self.calls, {self.id: "this thread"})


def compared(a: Talk, b: Talk) -> Comparison:
    return compare_entries(a.entries(), b.entries())


def told(comparison: Comparison) -> list[str]:
    """Each pair in a line: how it matches, whose it is, what differs."""
    return [" ".join((pair.match.value, pair.either.who, *pair.changed)).strip() for pair in comparison.pairs]


def errand(*, number: str = "7", found: str = "in Bergen", state: CallState = CallState.SUCCEEDED) -> Talk:
    talk = Talk()
    talk.say(Role.USER, "Where is my parcel?")
    talk.call("find_parcel", f'{{"number": {number}}}', found, state=state)
    talk.say(Role.ASSISTANT, "It is on its way.")
    return talk


@pytest.mark.rule("T25")
def test_threads_that_say_the_same_are_equal_whatever_their_ids_and_times() -> None:
    comparison = compared(errand(), errand())

    assert comparison.same
    assert told(comparison) == ["equal user", "equal find_parcel", "equal assistant"]


@pytest.mark.rule("T25")
def test_one_question_more_shifts_nothing_else() -> None:
    longer = Talk()
    longer.say(Role.USER, "Hello")
    rest = errand()
    longer.messages += rest.messages
    longer.calls += rest.calls

    assert told(compared(errand(), longer)) == [
        "onlyB user",
        "equal user",
        "equal find_parcel",
        "equal assistant",
    ]
    assert told(compared(longer, errand()))[0] == "onlyA user"


def test_a_call_that_went_otherwise_tells_which_of_its_parts_differ() -> None:
    other = compared(errand(), errand(number="8", found="in Oslo"))
    failed = errand(state=CallState.FAILED, found="no such parcel")
    failed.calls[0] = failed.calls[0].model_copy(update={"failure": FailureKind.TOOL_ERROR})

    assert told(other) == ["equal user", "changed find_parcel arguments result", "equal assistant"]
    assert told(compared(errand(), failed))[1] == "changed find_parcel result state"


def test_what_differs_is_told_line_by_line_with_the_words_marked() -> None:
    a, b = Talk(), Talk()
    a.say(Role.ASSISTANT, "Dear Mina,\nit costs 4 euros.")
    b.say(Role.ASSISTANT, "Dear Mina,\nit costs 9 euros.")

    (part,) = compared(a, b).pairs[0].differences()

    assert (part.title, part.differences) == ("Text", 1)
    assert [pair.change for pair in part.pairs] == [Change.SAME, Change.CHANGED]
    changed = part.pairs[1]
    assert [changed.old[a:b] for a, b in changed.old_marks] == ["4"]
    assert [changed.new[a:b] for a, b in changed.new_marks] == ["9"]


def test_json_whose_keys_stand_in_another_order_is_the_same() -> None:
    a, b = Talk(), Talk()
    a.call("pack", '{"a": 1, "b": [{"c": 2, "d": 3}]}', '{"x": 1.50, "y": 2}')
    b.call("pack", '{"b": [{"d": 3, "c": 2}], "a": 1}', '{"y": 2, "x": 1.50}')

    assert compared(a, b).same


@pytest.mark.rule("T25")
def test_ids_of_the_own_history_in_what_is_said_are_no_difference_and_foreign_ones_are() -> None:
    a, b = Talk(), Talk()
    for talk in (a, b):
        talk.say(Role.ASSISTANT, f"The files lie in workspaces/{talk.id}")
    same = compared(a, b)
    for talk in (a, b):
        talk.say(Role.ASSISTANT, f"The order is {uuid7()}")

    assert same.same
    assert told(compared(a, b)) == ["equal assistant", "changed assistant text"]


@pytest.mark.rule("T25")
def test_what_was_said_inside_of_a_call_stands_behind_it_and_is_compared_there() -> None:
    def asked(answer: str) -> Talk:
        talk = Talk()
        talk.say(Role.USER, "May I send a knife?")
        inside = talk.call("policy", '{"about": "knife"}', answer)
        talk.say(Role.USER, "About knives?", inside=inside)
        talk.say(Role.ASSISTANT, answer, inside=inside)
        talk.say(Role.ASSISTANT, "Well.")
        return talk

    comparison = compared(asked("Yes."), asked("No."))

    assert told(comparison) == [
        "equal user",
        "changed policy result",
        "equal user",
        "changed assistant text",
        "equal assistant",
    ]
    assert [pair.either.depth for pair in comparison.pairs] == [0, 0, 1, 1, 0]


@pytest.mark.rule("T22", "T25")
def test_what_only_one_has_inside_of_a_call_whose_result_stood_in_for_it_in_the_other_is_no_difference() -> (
    None
):
    def closed(*, stubbed: bool, noted: bool) -> Talk:
        talk = Talk()
        talk.say(Role.USER, "Close the day")
        inside = talk.call("close_day", "{}", "Closed.", stubbed=stubbed)
        if noted:
            deeper = talk.call(
                "write_note", '{"text": "closed"}', "Written.", parent_call_id=talk.calls[-1].id
            )
            talk.say(Role.ASSISTANT, "A note.", inside=deeper)
        talk.say(Role.ASSISTANT, "Well.", inside=inside)
        talk.say(Role.ASSISTANT, "It is closed.")
        return talk

    ran, stood_in = closed(stubbed=False, noted=True), closed(stubbed=True, noted=False)
    entries = [
        entries_of(talk.messages, talk.calls, {talk.id: "this thread"}, stubs_differ=False)
        for talk in (ran, stood_in)
    ]

    comparison = compare_entries(*entries)
    assert comparison.same
    assert told(comparison) == [
        "equal user",
        "equal close_day",
        "notRun write_note",
        "notRun assistant",
        "equal assistant",
        "equal assistant",
    ]
    assert [stretch.words for stretch in comparison.stretches()] == ["4 equal, 2 not run in the other"]
    assert told(compare_entries(*reversed(entries))) == told(comparison)
    assert told(compared(ran, closed(stubbed=False, noted=False)))[2] == "onlyA write_note"


def test_files_are_compared_by_name_type_and_size_not_by_where_they_lie() -> None:
    def with_file(path: str, size: int) -> Talk:
        talk = Talk()
        ref = AttachmentRef(id=uuid7(), path=path, name="label.pdf", mime_type="application/pdf", size=size)
        talk.say(Role.USER, "Print this", attachments=(ref,))
        return talk

    assert compared(with_file("/attachments/label.pdf", 7), with_file("/attachments/label-2.pdf", 7)).same
    assert told(compared(with_file("/a", 7), with_file("/a", 8))) == ["changed user files"]


def test_of_several_entries_the_one_most_alike_is_the_one_that_changed() -> None:
    a, b = Talk(), Talk()
    a.say(Role.USER, "Please send the blue parcel to Bergen")
    b.say(Role.USER, "Hello there")
    b.say(Role.USER, "Please send the red parcel to Bergen")

    assert told(compared(a, b)) == ["onlyB user", "changed user text"]


def test_a_tool_is_never_paired_with_another_nor_a_person_with_a_model() -> None:
    a, b = Talk(), Talk()
    a.call("find", "{}", "one")
    b.call("lose", "{}", "one")
    a.say(Role.USER, "Well")
    b.say(Role.ASSISTANT, "Well")

    matches = [pair.match for pair in compared(a, b).pairs]

    assert sorted(match.value for match in matches) == ["onlyA", "onlyA", "onlyB", "onlyB"]


def test_stretches_of_equal_and_of_different_entries_take_turns() -> None:
    stretches = compared(errand(), errand(found="in Oslo")).stretches()

    assert [(one.equal, len(one.pairs)) for one in stretches] == [(True, 1), (False, 1), (True, 1)]


WHO = st.sampled_from([Role.USER, Role.ASSISTANT])
ANY = st.lists(st.tuples(WHO, st.sampled_from(["yes", "no", "yes please", '{"a": 1}', ""])), max_size=14)


def _entry(role: Role | str, text: str) -> Entry:
    parts, own = {"text": text} if text else {}, uuid7()
    is_call = role not in tuple(Role)
    call_id = CallId(own) if is_call else None
    return Entry(own, MessageId(own), call_id, is_call, str(role), "", "", "", 0, parts)


def _entries(said: Sequence[tuple[Role, str]]) -> list[Entry]:
    return [_entry(*one) for one in said]


@given(said=ANY)
def test_a_thread_is_all_equal_to_itself(said: list[tuple[Role, str]]) -> None:
    comparison = compare_entries(_entries(said), _entries(said))

    assert comparison.same
    assert len(comparison.pairs) == len(said)


@given(a=ANY, b=ANY)
def test_both_sides_keep_all_their_entries_in_their_order_and_equal_ones_say_the_same(
    a: list[tuple[Role, str]], b: list[tuple[Role, str]]
) -> None:
    left, right = _entries(a), _entries(b)

    pairs = compare_entries(left, right).pairs

    assert [pair.a for pair in pairs if pair.a is not None] == left
    assert [pair.b for pair in pairs if pair.b is not None] == right
    for pair in pairs:
        if pair.a is not None and pair.b is not None:
            assert pair.a.kind == pair.b.kind
            assert (pair.a.parts == pair.b.parts) is (pair.match is Match.EQUAL)
            assert bool(pair.changed) is (pair.match is Match.CHANGED)


@given(a=ANY, b=ANY)
def test_which_of_the_two_is_called_a_does_not_matter(
    a: list[tuple[Role, str]], b: list[tuple[Role, str]]
) -> None:
    left, right = _entries(a), _entries(b)

    there, back = compare_entries(left, right).pairs, compare_entries(right, left).pairs

    assert [(pair.a, pair.b, pair.changed) for pair in there] == [
        (pair.b, pair.a, pair.changed) for pair in back
    ]


@given(kept=st.lists(st.booleans(), min_size=1, max_size=40), came=st.sets(st.integers(0, 40)))
def test_what_was_taken_out_and_put_in_is_exactly_what_only_one_side_has(
    kept: list[bool], came: set[int]
) -> None:
    """Each entry says something of its own; what came are calls, so that none of them stands for what went."""
    old = [_entry(Role.USER if at % 3 else Role.ASSISTANT, f"number {at}") for at in range(len(kept))]
    new: list[Entry] = []
    put_in: list[Entry] = []
    for at, entry in enumerate(old):
        if at in came:
            put_in.append(_entry("pack", f"{at}"))
            new.append(put_in[-1])
        if kept[at]:
            new.append(entry)

    pairs = compare_entries(old, new).pairs

    assert [pair.a for pair in pairs if pair.match is Match.ONLY_A] == [
        entry for entry, stays in zip(old, kept, strict=True) if not stays
    ]
    assert [pair.b for pair in pairs if pair.match is Match.ONLY_B] == put_in
    assert not any(pair.match is Match.CHANGED for pair in pairs)


@pytest.mark.parametrize("how", ["shifted", "all other", "alike", "few words"])
def test_two_threads_of_two_thousand_entries_are_aligned_within_bounds(how: str) -> None:
    words = {
        "shifted": ([f"say {at}" for at in range(2_000)], [f"say {at}" for at in range(8, 2_008)]),
        "all other": ([f"one {at}" for at in range(2_000)], [f"two {at}" for at in range(2_000)]),
        "alike": (
            ["wait"] * 2_000,
            [f"wait {at}" if at % 40 == 0 else "wait" for at in range(2_000)],
        ),
        "few words": (
            [("yes", "no", "well")[at * at % 3] for at in range(2_000)],
            [("yes", "no", "well", "hm")[at * at % 7 % 4] for at in range(2_000)],
        ),
    }[how]
    roles = (Role.USER, Role.ASSISTANT)
    a, b = ([_entry(roles[at % 2], text) for at, text in enumerate(side)] for side in words)

    began = time.process_time()
    comparison = compare_entries(a, b)
    took = time.process_time() - began

    assert took < 10  # it takes a fraction of a second: this only tells that nothing grows without bounds
    if how == "shifted":
        assert (comparison.count(Match.ONLY_A), comparison.count(Match.ONLY_B)) == (8, 8)
