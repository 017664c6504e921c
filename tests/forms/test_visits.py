"""What a field merely lacks is said once the person has been there, and not before."""

from __future__ import annotations

from workbench.forms import Form, UnionNode
from workbench.forms.visits import Visits

NEEDED = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
EITHER = {
    "type": "object",
    "properties": {"how": {"anyOf": [NEEDED, {"type": "integer"}]}},
    "required": ["how"],
}


def said(form: Form, visits: Visits) -> list[str]:
    return [problem.path for problem in form.problems() if visits.may_say(problem, problem.node_id)]


def test_what_a_field_lacks_is_said_once_the_person_was_there_until_the_form_begins_anew() -> None:
    form, visits = Form(NEEDED), Visits()
    assert [problem.path for problem in form.problems()] == ["/name"]
    assert said(form, visits) == []
    visits.note(form.at("/name").id)
    assert said(form, visits) == ["/name"]
    visits.begin_anew()
    assert said(form, visits) == []


def test_a_branch_that_was_picked_just_now_begins_afresh_also_where_the_person_was_before() -> None:
    form, visits = Form(EITHER), Visits()
    union = form.at("/how")
    assert isinstance(union, UnionNode)
    visits.note_picks(form.root)
    union.pick(0)
    visits.note_picks(form.root)
    visits.note(form.at("/how/name").id)
    assert said(form, visits) == ["/how/name"]
    union.pick(1)
    visits.note_picks(form.root)
    union.pick(0)
    visits.note_picks(form.root)
    assert said(form, visits) == []
