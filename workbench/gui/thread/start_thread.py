"""The dialog that starts a thread: its agent, arguments in a form, missing variables, the first message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from workbench.app.threads.thread_starts import MissingVariable, StartableAgent
from workbench.base.errors import UserError
from workbench.base.exact_json import parse_object
from workbench.domain.variables import VariableType
from workbench.engine.catalog.offers import properties_of
from workbench.gui.controls.button import Button, Kind
from workbench.gui.controls.fields import LineField
from workbench.gui.controls.instant_field import InstantField
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.switch import Switch
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.form.form_choices import ListPopup
from workbench.gui.form.form_view import FormView
from workbench.gui.session.run_mode import RunMode
from workbench.gui.style import theme
from workbench.gui.style.marks import Mark
from workbench.gui.style.tokens import ROW
from workbench.gui.thread.message_box import Attachments, MessageField

_WIDTH, _MESSAGE, _FORM, _HEAD, _FIELD = 780, 92, 240, 56, 34
_NAME = 200


@dataclass(frozen=True, slots=True)
class Start:
    """What was asked for."""

    agent: str
    arguments: Mapping[str, object]
    message: str | None
    files: Sequence[Path]
    name: str
    variables: Mapping[str, str]
    mode: RunMode


class _Choice(Button):
    """Letters that are typed on it narrow what there is to choose."""

    typed = Signal(str)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down or (event.text().strip() and event.text().isprintable()):
            self.typed.emit(event.text())
        else:
            super().keyPressEvent(event)


class StartThread(Ask):
    """`start` makes the thread; what it refuses is said in the dialog, which stays with all that was typed.

    `chosen` names an agent to begin with, else it is a primary one, and work begins where an agent is chosen.
    """

    def __init__(
        self,
        parent: QWidget,
        agents: Sequence[StartableAgent],
        chosen: str,
        start: Callable[[Start], Awaitable[object]],
        mode: RunMode = RunMode(),  # noqa: B008 – it is frozen
    ) -> None:
        super().__init__(parent, "Start a thread", width=_WIDTH)
        self._agents = {agent.name: agent for agent in agents}
        self._start = start
        first = next((agent for agent in agents if agent.primary), agents[0])
        self.agent = next((agent for agent in agents if agent.name == chosen), first)
        self.choice = _Choice("", Kind.PLAIN, arrow=True, font=theme.data())
        self._about = Words("", "ink2")
        self._obstacle = Words("", "err", mark=Mark.FAILED)
        self.name = LineField("Name, if it should have one", mono=False)
        self.name.setAccessibleName("Name of the thread")
        self.dry_run = Switch("Dry run", on=mode.dry_run)
        self.dry_run.setToolTip("Run what only reads, and answer every other call with its stub")
        self.as_of = InstantField("As of", mode.as_of)
        self.as_of.setToolTip("The instant that bounds its arguments in time (time_args); empty for none")
        self.form: FormView | None = None
        self._form_place = QVBoxLayout()
        self._variables_place = QVBoxLayout()
        self.variables: dict[str, LineField] = {}
        self.message = MessageField("First message", height=_MESSAGE)
        self.attachments = Attachments()
        attach = Button("Attach…", Kind.QUIET, icon="import")
        self.body.addWidget(line_of(self.choice, self._about, None, gap=12))
        self.body.addWidget(self._obstacle)
        self.body.addLayout(self._form_place)
        self.body.addLayout(self._variables_place)
        self.body.addWidget(self.message)
        self.body.addWidget(self.attachments)
        self.body.addWidget(line_of(attach, None, gap=8))
        self.body.addWidget(self.name)
        self.body.addWidget(line_of(self.dry_run, 12, Words("As of", "ink2"), self.as_of, gap=8))
        (self.button,) = self.offer_attempts(("Start", Kind.PRIMARY, self._begin))
        attach.clicked.connect(self.attachments.ask)
        self.message.sent.connect(self.button.click)
        self.on_ctrl_enter(self.button.click)
        self.message.files_given.connect(self.attachments.add)
        self.choice.clicked.connect(lambda: self._open_choice(""))
        self.choice.typed.connect(self._open_choice)
        self.show_agent(self.agent)
        if chosen in self._agents or len(agents) == 1:
            self._focus_first()
        else:
            self.choice.setFocus()

    def _focus_first(self) -> None:
        """Go to where the first thing that is needed is typed: an argument, or else the message."""
        if self.form is not None and self.form.sent().json_text is None:
            self.form.focus_first()
        else:
            self.message.setFocus()

    # --- the agent

    def _open_choice(self, typed: str) -> None:
        """The agents whose names have these letters."""
        agents = tuple(self._agents.values())
        now = agents.index(self.agent)
        ListPopup(self.choice, tuple(self._agents), now, lambda at: self._choose(agents[at])).open(typed)

    def _choose(self, agent: StartableAgent) -> None:
        self.show_agent(agent)
        self._focus_first()

    def show_agent(self, agent: StartableAgent) -> None:
        """Ask for what this agent needs."""
        self.agent = agent
        self.choice.set_words(agent.name)
        self.choice.setAccessibleName(f"Agent: {agent.name}")
        works = "" if agent.has_human else "Works at once, without a person."
        self._about.set_words(agent.description or works)
        self._obstacle.set_words(agent.obstacle)
        self._obstacle.setVisible(bool(agent.obstacle))
        self.button.setEnabled(not agent.obstacle)
        self._make_form(agent)
        self._ask_variables(agent.missing)
        self.refusal.show_words()

    def _make_form(self, agent: StartableAgent) -> None:
        if self.form is not None:
            self._form_place.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
        self.form = None
        if agent.arguments is not None:
            self.form = FormView(agent.arguments)
            fields = len(properties_of(agent.arguments))
            self.form.setFixedHeight(min(_FORM, _HEAD + _FIELD * max(1, fields)))
            self._form_place.addWidget(self.form)

    def _ask_variables(self, missing: Sequence[MissingVariable]) -> None:
        while (item := self._variables_place.takeAt(0)) is not None:
            if (line := item.widget()) is not None:
                line.hide()
                line.deleteLater()
        self.variables = {}
        if not missing:
            return
        note = "Variables without a value. One that is given here holds for this thread; Variables sets it for all."
        self._variables_place.addWidget(Words(note, "warn", theme.small(), mark=Mark.MISSING))
        for one in missing:
            if one.name not in self.variables:
                self._variables_place.addWidget(self._variable(one))

    def _variable(self, one: MissingVariable) -> QWidget:
        field = self.variables[one.name] = LineField(one.description)
        field.setAccessibleName(f"Value of {one.name}")
        if one.type is VariableType.SECRET:
            field.setEchoMode(QLineEdit.EchoMode.Password)
        name = Words(one.name, font=theme.data(), width=_NAME)
        name.setToolTip(f"Needed by {', '.join(one.needed_by)}")
        return line_of(name, field, gap=12, height=ROW)

    # --- starting

    async def _begin(self) -> None:
        await self._start(self._asked())

    def _asked(self) -> Start:
        arguments: Mapping[str, object] = {}
        if self.form is not None:
            text = self.form.sent().json_text
            if text is None:
                self.form.reveal_all()
                raise UserError("The arguments have problems.", hint="They are marked in the form.")
            arguments = parse_object(text)
        if self.as_of.why:
            raise UserError("This is no instant to see the world as of.", hint=self.as_of.why)
        return Start(
            agent=self.agent.name,
            arguments=arguments,
            message=self.message.text if self.message.text.strip() else None,
            files=self.attachments.files,
            name=self.name.text().strip(),
            variables={name: field.text() for name, field in self.variables.items() if field.text()},
            mode=RunMode(self.dry_run.isChecked(), self.as_of.instant),
        )
