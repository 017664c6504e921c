"""The JSON tree with real rows: opened, searched, copied, kept open over a refresh."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from tests.gui.driving import Ui, until
from workbench.app.results.json_outline import Outline
from workbench.gui.results.json_model import Part
from workbench.gui.results.json_tree import JsonTree
from workbench.gui.results.text_search import Query

VALUE = {"items": [{"sku": "A", "price": 1}, {"sku": 'B"2', "price": 2}], "none": None, "": "empty key"}
TEXT = json.dumps(VALUE).replace('"price": 1', '"price": 1.500')


@pytest.fixture
def tree(ui: Ui) -> JsonTree:
    shown = JsonTree()
    shown.resize(600, 400)
    shown.show()
    shown.activateWindow()
    shown.rows.setFocus()
    return shown


def words(tree: JsonTree) -> list[str]:
    return [tree.model.words(tree.model.row(at)) for at in range(tree.model.count())]


def test_branches_open_and_close_with_the_arrows_and_numbers_are_as_typed(tree: JsonTree) -> None:
    tree.show_json(TEXT)
    for key in (
        Qt.Key.Key_Down,
        Qt.Key.Key_Right,
        Qt.Key.Key_Down,
        Qt.Key.Key_Right,
        Qt.Key.Key_Down,
        Qt.Key.Key_Down,
    ):
        QTest.keyClick(tree.rows, key)

    assert tree.current_path() == ("items", 0, "price")
    assert "price: 1.500, number" in words(tree)
    QTest.keyClick(tree.rows, Qt.Key.Key_Left)
    QTest.keyClick(tree.rows, Qt.Key.Key_Left)
    assert "price: 1.500, number" not in words(tree)


def test_values_and_paths_are_copied(tree: JsonTree) -> None:
    tree.show_json(TEXT)
    tree.expand_branch(tree.model.row(0))
    clipboard = QGuiApplication.clipboard()
    tree.rows.go_to(words(tree).index('sku: "B\\"2", string'))

    tree.copy_value()
    assert clipboard.text() == 'B"2'
    tree.copy_pointer()
    assert clipboard.text() == "/items/1/sku"
    tree.copy_subscript()
    assert clipboard.text() == 'result["items"][1]["sku"]'


def test_what_was_open_is_open_again_when_the_value_is_shown_again(tree: JsonTree) -> None:
    tree.show_json(TEXT)
    tree.expand_branch(tree.model.row(0))
    before = tree.model.opened()

    tree.show_json(json.dumps({**VALUE, "more": {"x": 1}}))

    assert tree.model.opened() == before
    assert "more: 1 key, object, closed" in words(tree)


def test_a_word_far_inside_is_found_shown_and_gone_through(ui: Ui, tree: JsonTree) -> None:
    async def scenario() -> None:
        rows = [{"id": number, "name": f"name {number}"} for number in range(30_000)]
        tree.show_json(json.dumps({"rows": rows, "last": "name 29999"}))
        await until(lambda: tree.complete)
        tree.look_for(Query("name 29999"))
        await until(lambda: not tree.search.running and tree.current_hit >= 0)
        assert tree.current_path() == ("rows", 29_999, "name")
        parts = [tree.model.row(at).part for at in range(tree.model.count())]
        assert parts.count(Part.BEFORE) == 1
        assert tree.search.count == 2
        tree.step(1)
        assert tree.current_path() == ("last",)
        tree.step(1)
        assert tree.current_path() == ("rows", 29_999, "name")

    ui.run(scenario())


def test_a_hit_that_is_found_before_the_pass_over_the_text_came_so_far_is_shown_in_its_place(
    ui: Ui, tree: JsonTree
) -> None:
    async def scenario() -> None:
        rows = [{"id": number, "name": f"name {number}"} for number in range(30_000)]
        text = json.dumps({"rows": rows, "last": "here"})
        tree.model.show_outline(Outline(text), set())  # no pass has begun: nobody knows where `rows` ends
        tree.look_for(Query("here"))
        await until(lambda: not tree.search.running and tree.current_hit >= 0)
        assert tree.current_path() == ("rows",)
        tree.model.outline.scan(lambda: False)
        tree.scanned()
        assert tree.current_path() == ("last",)
        tree.look_for(Query("name 17000"))
        await until(lambda: not tree.search.running and tree.current_hit >= 0)
        assert tree.current_path() == ("rows", 17_000, "name")

    ui.run(scenario())


def test_pages_before_and_after_are_loaded_where_they_belong(ui: Ui, tree: JsonTree) -> None:
    async def scenario() -> None:
        text = json.dumps([str(number).rjust(100) for number in range(1_234)])
        tree.show_json(text)
        await until(lambda: tree.complete)
        row = tree.model.reveal(text.index("1233"))
        assert tree.model.row(row).path == (1_233,)
        tree.toggle(tree.model.row(1))
        tree.toggle(tree.model.row(1))
        keys = [tree.model.row(at).member.key for at in range(1, tree.model.count())]
        assert keys == list(range(1_234))

    ui.run(scenario())


def test_a_huge_branch_is_opened_in_part_and_it_is_said(ui: Ui, tree: JsonTree) -> None:
    async def scenario() -> None:
        said: list[str] = []
        tree.said.connect(said.append)
        tree.show_json(json.dumps([[number] * 20 for number in range(5_000)]))
        await until(lambda: tree.complete)
        tree.expand_branch(tree.model.row(0))
        assert tree.model.count() < 5_000
        assert len(said) == 1

    ui.run(scenario())


def test_text_that_is_no_json_is_told(ui: Ui, tree: JsonTree) -> None:
    async def scenario() -> None:
        errors: list[object] = []
        tree.failed.connect(errors.append)
        tree.show_json('[{"a": 1}, ' + '{"b": "x"} ' * 1_000)
        await until(lambda: errors)
        assert "not JSON" in str(errors[0])

    ui.run(scenario())
