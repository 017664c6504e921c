"""Whatever a person does, in whatever order: the form stays whole, and what it says is what it sends."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from tests.forms.schemas import CASES, REAL_TOOLS, canonical, json_values, names, schemas
from workbench.base.errors import UserError
from workbench.base.exact_json import dump, parse
from workbench.forms import ChoiceNode, Form, ListNode, Node, ObjectNode, State, TextNode, UnionNode

typed = st.one_of(
    st.text(max_size=8), st.sampled_from(["1", "-", "1.5", "[1, {", '{"a": [null]}', "true", "a\nb"])
)
all_schemas = st.one_of(
    schemas.map(lambda pair: pair[0]),
    st.sampled_from([case["schema"] for case in CASES.values()]),
    st.sampled_from([tool["inputSchema"] for tool in REAL_TOOLS]),
)


def do_something(data: st.DataObject, form: Form) -> None:
    """One edit of one of the fields that are shown."""
    node = data.draw(st.sampled_from(list(form.root.walk())))
    what = data.draw(st.sampled_from(["own", "own", "own", "state", "load", "json", "fields", "clear"]))
    if what == "state":
        node.set_state(data.draw(st.sampled_from(node.offers)))
    elif what == "load":
        node.load(data.draw(json_values))
    elif what == "json":
        node.edit_as_json()
    elif what == "fields":
        node.edit_as_fields()
    elif what == "clear":
        node.clear()
    else:
        do_its_own(data, node)


def do_its_own(data: st.DataObject, node: Node) -> None:
    """What only this kind of field can do."""
    if node.json_text is not None:
        node.set_json_text(data.draw(typed))
    elif isinstance(node, TextNode):
        node.set_text(data.draw(typed))
    elif isinstance(node, ChoiceNode):
        node.choose(data.draw(st.sampled_from([None, *range(len(node.shape.choices))])))
    elif isinstance(node, UnionNode):
        node.pick(data.draw(st.integers(0, len(node.shape.branches) - 1)))
    elif isinstance(node, ListNode):
        change_rows(data, node)
    elif isinstance(node, ObjectNode):
        change_keys(data, node)


def change_rows(data: st.DataObject, node: ListNode) -> None:
    if not node.items or data.draw(st.booleans()):
        with suppress(UserError):
            node.add()
        return
    index = data.draw(st.integers(0, len(node.items) - 1))
    match data.draw(st.sampled_from(["move", "duplicate", "remove"])):
        case "move":
            to = data.draw(st.integers(0, len(node.items) - 1))
            if not node.is_place(min(index, to)):
                node.move(index, to)
        case "duplicate":
            if not node.is_place(index):
                node.duplicate(index)
        case _:
            if node.may_remove(index):
                node.remove(index)


def change_keys(data: st.DataObject, node: ObjectNode) -> None:
    node.unfold()
    with suppress(UserError):
        if not node.entries or data.draw(st.booleans()):
            node.add_entry(data.draw(names))
        elif data.draw(st.booleans()):
            node.rename_entry(data.draw(st.sampled_from(node.entries)), data.draw(names))
        elif data.draw(st.booleans()):
            node.type_key(data.draw(st.sampled_from(node.entries)), data.draw(names))
        else:
            node.remove_entry(data.draw(st.sampled_from(node.entries)))


@given(all_schemas, st.data())
def test_any_order_of_edits_leaves_a_form_that_says_what_it_sends(
    schema: dict[str, object], data: st.DataObject
):
    form = Form(schema)
    told: set[int] = set()
    form.subscribe(lambda change: told.update(change.nodes))
    for _ in range(data.draw(st.integers(1, 8))):
        before = {node.id: node.state for node in form.root.walk()}
        told.clear()
        do_something(data, form)
        for node in form.root.walk():
            assert form.node(node.id) is node
            assert node.path == "" or form.at(node.path).path == node.path
            if node.state is not before.get(node.id, node.state):
                assert told & {each.id for each in node.lineage()}
    sent = form.sent()
    for problem in sent.problems:
        assert form.node(problem.node_id) is not None
    if sent.json_text is None:
        assert sent.problems
        assert all(sent.preview[mark.start : mark.end] for mark in sent.marks)
    else:
        assert canonical(parse(sent.json_text)) == canonical(form.value()) == canonical(parse(sent.preview))
        assert Form.from_draft(schema, form.to_draft()).sent().json_text == sent.json_text
    draft = parse(dump(form.to_draft()))
    assert isinstance(draft, dict)
    assert Form.from_draft(schema, draft).to_draft() == form.to_draft()
    assert all(node.state is not State.NOT_READ for node in form.root.walk()) or sent.json_text is None
