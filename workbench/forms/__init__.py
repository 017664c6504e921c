"""The form of a tool's arguments: what is shown, what was typed, what will be sent. No widgets in here.

    form = Form(schema)                     # JSON Schema (draft-07, 2020-12), or None: no arguments
    unsubscribe = form.subscribe(follow)    # follow(Change) once after each edit
    sent = form.sent()                      # .json_text (exact, None while blocked) .preview .marks .problems

**Nodes.** `form.root` is the tree. A node has a stable `id`, `kind`, `label`, `path` (JSON Pointer), `state`,
`offers` (the state menu), `type_words`, `ghost` (the default, never sent), `children`, and `shape` (`title`,
`description`, `format`, `placeholder`, `notes`, …). `form.node(id)` and `form.at(path)` find nodes. Edits are
made on the node itself (`form.root.clear()` begins anew):

    any node     set_state(State), clear(), load(value), edit_as_json(), edit_as_fields()
    TextNode     .text .multiline; set_text(text), ask_for_lines()
                                                        (`Kind.TEXT`; `NumberNode` for `Kind.NUMBER`)
    FileNode     .file_name .media_type .size; set_file(read_file(path))                   (`Kind.FILE`)
    ChoiceNode   .chosen; choose(index or None) of shape.choices         (`Kind.CHOICE`, `Kind.BOOLEAN`)
    ListNode     .items .takes_more; add(), duplicate(i), move(i, to), remove(i); is_place(i) of an item
                 that has a place of its own, may_remove(i)                                (`Kind.LIST`)
    ObjectNode   .fields .entries .is_unfolded; unfold(), free_key(), add_entry(key),
                 type_key(entry, text), rename_entry(entry, key), remove_entry(entry); rows of free keys when
                 shape.offers_keys or there are entries. An entry with `key_text` waits for another key
                                                                        (`Kind.GROUP`, `Kind.MAP`)
    UnionNode    .picked .branch; pick(index) of shape.branches                           (`Kind.UNION`)
    any, while kind is Kind.JSON    .json_text; set_json_text(text)

A node whose value its own control cannot hold turns into a JSON box: always ask `kind`, not the class. The
branch of a union is a node with the union's path; show it without a label, indented.

**Rules.** Not set is not sent. Clearing a text makes it not set; an empty text is `set_state(State.EMPTY)`.
What cannot be read is kept as typed, state `NOT_READ`. Editing a field sets what it stands in; unfolding a
group or showing a union's branch (of its default, or the first of a required one) sets nothing. `state` is what
is sent: a field in a group that is not set is not set itself, and its text comes back with the group. What is
null or empty has no `children`.

**Following.** A `Change` names the ids touched and those whose children or kind changed. Problems follow from
the whole value, so ask `form.problems()` after each change; it is computed once and kept. `Problem.label` and
`words` make the sentence on top, `help` stands under the field `node_id`.

**Text controls.** The model never changes what was typed. A control that does is at fault: take the text of a
`QTextDocument` by `toRawText()`, since `toPlainText()` exchanges no-break spaces.

**Faces.** `json_text()` and `load_json_text(text)` are the JSON face: an unreadable text is kept, blocks
sending (`face_error` says where it is wrong), and ends with a readable one or `discard_json_text()`.
`find_place(text, path)` is where a field's value stands in a readable one. `value()` and `load(value)` are lossless.
`to_draft()` and `Form.from_draft(schema, draft)` keep everything typed, also when the schema changed.
"""

from workbench.forms.fields import ChoiceNode, NumberNode, TextNode
from workbench.forms.file_node import FileNode
from workbench.forms.files import PickedFile, read_file
from workbench.forms.form import Change, Form, Sent
from workbench.forms.list_node import ListNode
from workbench.forms.node import Node
from workbench.forms.object_node import ObjectNode
from workbench.forms.places import find_place
from workbench.forms.preview import Mark
from workbench.forms.problems import Problem, ProblemKind
from workbench.forms.reading import State
from workbench.forms.shapes import Branch, Choice, Kind, Shape
from workbench.forms.union_node import UnionNode

__all__ = [
    "Branch",
    "Change",
    "Choice",
    "ChoiceNode",
    "FileNode",
    "Form",
    "Kind",
    "ListNode",
    "Mark",
    "Node",
    "NumberNode",
    "ObjectNode",
    "PickedFile",
    "Problem",
    "ProblemKind",
    "Sent",
    "Shape",
    "State",
    "TextNode",
    "UnionNode",
    "find_place",
    "read_file",
]
