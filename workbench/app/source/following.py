"""Where an edited text stands against its file, when others write, delete or move that file meanwhile."""

from __future__ import annotations

from enum import Enum

from workbench.app.source.files import SourceText


class Standing(Enum):
    """How text and file stand to each other."""

    TOGETHER = "together"
    """The file is what the editor began from."""
    CONFLICT = "conflict"
    """The file changed while there were unsaved edits."""
    GONE = "gone"
    """The file is not there any more."""


class Reaction(Enum):
    """What an editor does about a look at the disk."""

    NOTHING = "nothing"
    RELOAD = "reload"
    """Show `base`; there were no edits to lose."""
    SAVED = "saved"
    """The file now holds the edits: there is nothing to save."""
    TELL = "tell"
    """The standing changed: say so."""


class Following:
    """`base` is what the text was made from, `theirs` what stands on disk while there is a conflict."""

    def __init__(self, base: SourceText) -> None:
        self.base = base
        self.theirs: SourceText | None = None
        self.standing = Standing.TOGETHER

    @property
    def digest(self) -> str | None:
        """What must be on disk for a save to take its place; None when the file may be written in any case."""
        return None if self.standing is Standing.GONE else self.base.digest

    def look(self, found: SourceText | None, mine: str, *, modified: bool) -> Reaction:
        """Take in what is on disk now (None when nothing is), beside the text as it stands in the editor."""
        if found is None:
            return self._stand(Standing.GONE)
        if found.digest == self.base.digest:
            return self._stand(Standing.TOGETHER)
        if found.text == mine and found.locked == self.base.locked:
            self.saved(found)
            return Reaction.SAVED
        if not modified:
            self.saved(found)
            return Reaction.RELOAD
        if self.theirs is not None and found.digest == self.theirs.digest:
            return Reaction.NOTHING
        self.theirs = found
        self.standing = Standing.CONFLICT
        return Reaction.TELL

    def saved(self, now: SourceText) -> None:
        """Text and file are one."""
        self.base = now
        self._stand(Standing.TOGETHER)

    def keep_mine(self) -> None:
        """The next save takes the place of theirs, which is the base from now on."""
        if self.theirs is not None:
            self.saved(self.theirs)

    def _stand(self, standing: Standing) -> Reaction:
        self.theirs = None
        if standing is self.standing:
            return Reaction.NOTHING
        self.standing = standing
        return Reaction.TELL
