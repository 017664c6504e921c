"""Whatever happens to a file while it is edited, neither side's text is lost without a word."""

from __future__ import annotations

from workbench.app.source.files import SourceText, source_of
from workbench.app.source.following import Following, Reaction, Standing

PATH = "agents/tools/echo.py"


def disk(text: str) -> SourceText:
    return source_of(PATH, text.encode())


def test_a_file_that_changes_without_edits_is_shown_anew() -> None:
    following = Following(disk("old"))
    assert following.look(disk("old"), "old", modified=False) is Reaction.NOTHING
    assert following.look(disk("new"), "old", modified=False) is Reaction.RELOAD
    assert following.base.text == "new"


def test_a_file_that_changes_under_edits_is_a_conflict_until_one_side_is_taken() -> None:
    following = Following(disk("old"))
    assert following.look(disk("theirs"), "mine", modified=True) is Reaction.TELL
    assert following.standing is Standing.CONFLICT
    assert following.look(disk("theirs"), "mine more", modified=True) is Reaction.NOTHING
    assert following.digest == disk("old").digest, "a save must not take their place unasked"
    following.keep_mine()
    assert following.standing is Standing.TOGETHER
    assert following.digest == disk("theirs").digest
    following.look(disk("theirs again"), "mine", modified=True)
    following.keep_mine()
    assert following.base.text == "theirs again"


def test_a_conflict_ends_when_the_file_is_again_what_it_was_or_what_was_typed() -> None:
    following = Following(disk("old"))
    following.look(disk("theirs"), "mine", modified=True)
    assert following.look(disk("old"), "mine", modified=True) is Reaction.TELL
    assert following.standing is Standing.TOGETHER
    following.look(disk("theirs"), "mine", modified=True)
    assert following.look(disk("mine"), "mine", modified=True) is Reaction.SAVED
    assert following.standing is Standing.TOGETHER


def test_a_file_that_is_gone_may_be_written_again_and_may_come_back() -> None:
    following = Following(disk("old"))
    assert following.look(None, "old", modified=False) is Reaction.TELL
    assert following.standing is Standing.GONE
    assert following.digest is None
    assert following.look(None, "old", modified=False) is Reaction.NOTHING
    assert following.look(disk("back"), "old", modified=False) is Reaction.RELOAD
    assert following.standing is Standing.TOGETHER
