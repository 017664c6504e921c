"""What is done to a whole form: cleared, filled, pasted into, saved, walked back in time, copied, and taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from workbench.app.inputs.earlier import EarlierInput, Walk
from workbench.base.errors import UserError
from workbench.base.exact_json import dump, parse
from workbench.gui.form.copying import CopyAs, copy_call
from workbench.gui.form.form_view import FormView

if TYPE_CHECKING:
    from workbench.gui.session.session import Session

_KEPT = 20
"""How many steps can be taken back."""
SHOWN_EARLIER = 12
"""Inputs in the menu; the keys lead to more."""
_BACK = "Ctrl+Z brings back what it held."
Draft = Mapping[str, object]


class FormHolder(Protocol):
    """The document that a form is in."""

    @property
    def name(self) -> str:
        """The tool."""
        ...

    @property
    def form(self) -> FormView | None: ...

    def put_back(self, draft: Draft) -> None:
        """Show a form with what `draft` holds."""
        ...

    def show_form(self) -> None:
        """Turn to the form, and show which face of it is there."""
        ...


class FormInputs(QObject):
    """Acts on the form of one document. What it puts in the place of what was there can be taken back."""

    walked = Signal(str)
    """Where in the walk through earlier inputs the form is, "" when it is in none."""

    def __init__(self, session: Session, holder: FormHolder, widget: QWidget) -> None:
        """`widget` is what dialogs belong to, and the end of its life ends all that was begun."""
        super().__init__(widget)
        self._session = session
        self._holder = holder
        self._widget = widget
        self._before: list[Draft] = []
        self._after: list[Draft] = []
        self._walk: Walk | None = None
        self._step_lock = asyncio.Lock()

    def offers(self) -> Mapping[str, Callable[[], None]]:
        """What can be done now, by the ids of commands."""
        if self._holder.form is None:
            return {}
        ways: dict[str, Callable[[], None]] = {
            "clear": self.clear,
            "paste": self.paste,
            "fill-sample": partial(self.fill, every=True),
            "fill-required": partial(self.fill, every=False),
            "save-input": self.save,
            "manage-inputs": self.manage,
            "earlier": partial(self.step, 1),
            "later": partial(self.step, -1),
            **{how.value: partial(self.copy_as, how) for how in CopyAs},
        }
        if self._before:
            ways["undo-form"] = self.undo
        if self._after:
            ways["redo-form"] = self.redo
        return ways

    # --- put in the place of what is there

    def clear(self) -> None:
        form = self._holder.form
        if form is not None and form.has_typed():
            self._replace("{}", f"The form is cleared. {_BACK}")
            form.begin_anew()

    def paste(self) -> None:
        """Put in what is on the clipboard: arguments, or a tool call in one of the usual shapes."""
        text = QGuiApplication.clipboard().text()
        if text.strip():
            self._session.do(self._paste(text), self)
        else:
            self._session.tell("There is no text on the clipboard.")

    async def _paste(self, text: str) -> None:
        name = self._holder.name
        pasted = await self._session.ask(lambda wb: wb.inputs.pasted(name, text))
        words = ""
        if not pasted.readable:
            words = f"What was pasted cannot be read yet; the place is marked. {_BACK}"
        elif pasted.of and pasted.of != name:
            words = f"What was pasted is a call of {pasted.of}; its arguments are here. {_BACK}"
        self._replace(pasted.arguments, words)

    def fill(self, *, every: bool) -> None:
        """Fill in made-up values that the schema accepts, around what was typed and can be read."""
        form = self._holder.form
        if form is None:
            return
        try:
            typed = dump(form.form.readable_value())
        except UserError as error:
            self._session.tell(f"Nothing is filled in. {error.message}")
            return
        self._session.do(self._fill(typed, every=every), self)

    async def _fill(self, typed: str, *, every: bool) -> None:
        name = self._holder.name
        sample = await self._session.ask(lambda wb: wb.inputs.sample(name, typed, every=every))
        is_full = parse(sample.arguments) == parse(typed)
        if sample.left_out:
            first, *others = sample.left_out
            more = f" So do {len(others)} more." if others else ""
            label = first.path.strip("/").replace("/", ".")
            words = f"Filled in but for {label}, which {first.why}: write it yourself.{more}"
            if is_full:
                words = f"Nothing was filled in: {label} {first.why}, write it yourself.{more}"
        elif is_full:
            words = "Nothing was left to fill."
        else:
            words = f"Filled with sample data. {_BACK}"
        if is_full:
            self._session.tell(words)
        else:
            self._replace(sample.arguments, words)

    def load(self, arguments: str) -> None:
        """Put in arguments that were kept somewhere, JSON text."""
        self._replace(arguments, "")

    def _replace(self, arguments: str, words: str) -> None:
        form = self._holder.form
        if form is None:
            return
        before = form.form.to_draft()
        if self._walk is not None and self._walk.own is not None:
            self._before.append(
                self._walk.own
            )  # what was being written when the walk began can be taken back to, too
        self.ran()
        form.load(arguments)
        self._holder.show_form()
        problems = form.sent().problems
        if form.form.face_error is not None and problems:
            form.jump(problems[0])
        if form.form.to_draft() != before:
            self._before = [*self._before, before][-_KEPT:]
            self._after.clear()
        if words:
            self._session.tell(words)

    def undo(self) -> None:
        """Take back the last of these, with what was typed since; `redo` brings that again."""
        self._exchange(self._before, self._after)

    def redo(self) -> None:
        """Take back what was taken back."""
        self._exchange(self._after, self._before)

    def _exchange(self, source: list[Draft], target: list[Draft]) -> None:
        form = self._holder.form
        if form is not None and source:
            target.append(form.form.to_draft())
            self._holder.put_back(source.pop())

    # --- earlier inputs

    def ran(self) -> None:
        """The form was run, or holds something else: the walk through earlier inputs begins anew, at this one."""
        self._walk = None
        self.walked.emit("")

    def step(self, by: int) -> None:
        """Show the input before the one in the form, or with -1 the one after it."""
        self._session.do(self._step(by), self)

    async def _step(self, by: int) -> None:
        async with self._step_lock:
            name = self._holder.name
            if by > 0 and (self._walk is None or self._walk.place == 0):
                inputs = await self._session.ask(lambda wb: wb.inputs.earlier(name))
                self._walk = Walk(inputs, self._value())
            form, walk = self._holder.form, self._walk
            if form is None:
                return
            found = walk.step(by, form.form.to_draft) if walk is not None else None
            if isinstance(found, EarlierInput):
                form.load(found.arguments)
                self._holder.show_form()
            elif found is not None:
                self._holder.put_back(found)
            self.walked.emit(_where(walk, moved=found is not None, by=by))

    # --- kept under a name

    def save(self) -> None:
        """Ask for a name and keep what the form holds under it."""
        form = self._holder.form
        if form is None:
            return
        try:
            arguments = dump(form.form.value())
        except UserError as error:
            self._session.tell(f"This cannot be saved yet. {error.message}")
            return
        from workbench.gui.form.saved_inputs import SaveInputDialog

        name = self._holder.name
        SaveInputDialog(self._widget, self._session, name, arguments).open()

    def manage(self) -> None:
        """Rename or delete saved inputs."""
        self._session.do(self._manage(), self)

    async def _manage(self) -> None:
        from workbench.gui.form.saved_inputs import SavedInputsDialog

        name = self._holder.name
        saved = await self._session.ask(lambda wb: wb.inputs.saved(name))
        dialog = SavedInputsDialog(self._widget, self._session, name, saved)
        dialog.chosen.connect(self.load)
        dialog.open()

    def show_menu(self, corner: QPoint) -> None:
        """Open the menu of inputs with its top left `corner` at a place of the screen."""
        self._session.do(self._show_menu(corner), self)

    async def _show_menu(self, corner: QPoint) -> None:
        from workbench.gui.form.inputs_menu import inputs_menu

        name = self._holder.name
        saved = await self._session.ask(lambda wb: wb.inputs.saved(name))
        earlier = await self._session.ask(lambda wb: wb.inputs.earlier(name, limit=SHOWN_EARLIER))
        inputs_menu(self._widget, saved, earlier, self.load, self.offers()).popup(corner)

    # --- to somewhere else

    def copy_as(self, how: CopyAs) -> None:
        """Copy the call that the form would make."""
        form = self._holder.form
        if form is not None:
            self._session.do(copy_call(self._session, how, self._holder.name, form.sent()), self)

    def _value(self) -> str | None:
        """What the form holds as exact JSON text, also what the schema refuses; None while it cannot be read."""
        form = self._holder.form
        try:
            return dump(form.form.value()) if form is not None else None
        except UserError:
            return None


def _where(walk: Walk | None, *, moved: bool, by: int) -> str:
    """Where the walk is now, or why it went no further."""
    if walk is None or walk.place == 0:
        return "No earlier input" if by > 0 else ""
    place = f"Earlier input {walk.place} of {len(walk.inputs)}"
    return place if moved else f"{place}, the oldest"
