"""A conversation as a list's rows: what a reader is told of a row, and how little of it changes at a time."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex

from tests.app.conversation.test_conversation import THREAD, answer, line, page, result, user
from workbench.app.conversation.rows import Head
from workbench.base.ids import MessageId
from workbench.gui.thread.conversation_model import ConversationModel


@pytest.fixture
def model() -> ConversationModel:
    return ConversationModel(THREAD)


def heads(model: ConversationModel) -> list[Head]:
    rows = (model.row(at) for at in range(model.count()))
    return [row for row in rows if isinstance(row, Head)]


@pytest.mark.rule("C10")
def test_a_call_that_a_dry_run_answered_says_so(model: ConversationModel) -> None:
    stub = line("look", result_preview="14", stubbed=True)
    model.start_again(page(user("1", "Go"), answer("2", "", "look"), result("look", "14"), lines=(stub,)))
    assert "look, Succeeded, {}, 14, stub of a dry run" in map(
        model.words, map(model.row, range(model.count()))
    )


def test_a_message_that_goes_takes_its_own_rows_along_and_moves_no_other(model: ConversationModel) -> None:
    told = [one for at in range(50) for one in (user(f"u{at}", "Look"), answer(f"a{at}", "So."))]
    model.start_again(page(*told))
    before, removed, inserted = heads(model), list[int](), list[int]()

    def took(_: QModelIndex, first: int, last: int) -> None:
        removed.extend(range(first, last + 1))

    model.rowsRemoved.connect(took)
    model.rowsInserted.connect(lambda *_: inserted.append(1))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    model.remove([MessageId("u20")])
    assert len(removed) <= 6
    assert len(inserted) <= 1
    assert [head for head in before if head not in heads(model)] == [before[40], before[41]]


def test_only_the_first_message_is_said_to_open_the_conversation(model: ConversationModel) -> None:
    model.start_again(page(user("2", "Second"), answer("3", "So.")))
    model.put_before(page(user("0", "First"), answer("1", "So.")))
    assert ["opening" in head.note for head in heads(model)] == [True, False, False, False]
    model.remove([MessageId("0"), MessageId("1")])
    assert ["opening" in head.note for head in heads(model)] == [True, False]
