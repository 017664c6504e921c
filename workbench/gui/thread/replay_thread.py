"""The dialog that replays a thread: who answers, what becomes of its calls, each choice told in words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtWidgets import QWidget

from workbench.app import Workbench
from workbench.app.threads.replay_outcome import ReplayOutcome, replay_outcome
from workbench.app.threads.replays import ReplayModels, ReplayTools
from workbench.base.ids import ThreadId
from workbench.domain.threads import Thread
from workbench.gui.controls.button import Kind
from workbench.gui.controls.layout import line_of
from workbench.gui.controls.segments import Segments
from workbench.gui.controls.words import Words
from workbench.gui.dialogs.asking import Ask
from workbench.gui.session.session import Session
from workbench.gui.style import theme

_WIDTH, _LABEL, _LINE = 680, 70, 20

_MODELS = (
    (
        ReplayModels.RECORDED,
        "Recorded",
        "They answer what they answered then. Where the replay leaves the recording, it ends and says why.",
    ),
    (ReplayModels.LIVE, "Live", "They are asked again: that may cost, and they may answer something else."),
)
_TOOLS = (
    (ReplayTools.RUN, "Run", "Every call really runs, also one that changes something."),
    (ReplayTools.DRY_RUN, "Dry run", "What only reads runs; every other call is answered with its stub."),
    (
        ReplayTools.RECORDED,
        "Recorded",
        "Nothing runs: each call gets the result that it got then. One that has none is refused.",
    ),
)
_ANEW = "Approvals are asked anew."
_NOT_ASKED = "Nothing asks for an approval."


class ReplayThread(Ask):
    """`start` begins the replay; what it refuses is said in the dialog. Tools begin as they were in the thread."""

    def __init__(
        self,
        parent: QWidget,
        thread: Thread,
        start: Callable[[ReplayModels, ReplayTools], Awaitable[object]],
    ) -> None:
        about = (
            "A new thread is given what came to this one, in the same order, and its subagents come with it."
        )
        super().__init__(parent, f"Replay a thread of {thread.origin_agent}", about, width=_WIDTH)
        self._start = start
        self.models = Segments([name for _, name, _ in _MODELS], 0, name="Models")
        self.tools = Segments([name for _, name, _ in _TOOLS], int(thread.dry_run), name="Tools")
        self._models_words = Words("", "ink2", theme.small(), height=_LINE)
        self._tools_words = Words("", "ink2", theme.small(), height=_LINE)
        self._approvals = Words("", "ink2", theme.small(), height=_LINE)
        for name, choice, words in (
            ("Models", self.models, (self._models_words,)),
            ("Tools", self.tools, (self._tools_words, self._approvals)),
        ):
            self.body.addSpacing(4)
            self.body.addWidget(line_of(Words(name, font=theme.body(600), width=_LABEL), choice, None, gap=8))
            for one in words:
                self.body.addWidget(line_of(_LABEL + 8, one, gap=0, height=_LINE))
            choice.chosen.connect(self._tell)
        (self.button,) = self.offer_attempts(("Replay", Kind.PRIMARY, self._begin))
        self.on_ctrl_enter(self.button.click)
        self._tell()
        self.models.setFocus()

    @property
    def said(self) -> Sequence[str]:
        """What is said of the two choices."""
        return [words.words for words in (self._models_words, self._tools_words, self._approvals)]

    def _tell(self) -> None:
        self._models_words.set_words(_MODELS[self.models.current][2])
        tools, _, words = _TOOLS[self.tools.current]
        self._tools_words.set_words(words)
        self._approvals.set_words(_NOT_ASKED if tools is ReplayTools.RECORDED else _ANEW)
        self.models.setAccessibleDescription(self._models_words.words)
        self.tools.setAccessibleDescription(f"{words} {self._approvals.words}")
        self.refusal.show_words()

    async def _begin(self) -> None:
        await self._start(_MODELS[self.models.current][0], _TOOLS[self.tools.current][0])


async def ask_to_replay(
    session: Session, parent: QWidget, thread_id: ThreadId, show: Callable[[str], object]
) -> None:
    """Ask how a thread is to be replayed, begin it, and show the new one by its id; its outcome is told."""
    thread = await session.ask(lambda wb: wb.threads.thread(thread_id))

    async def start(models: ReplayModels, tools: ReplayTools) -> None:
        made = await session.ask(lambda wb: wb.replays.start(thread_id, models=models, tools=tools))
        show(made.id)
        session.do(_tell_end(session, made.id), parent)

    ReplayThread(parent, thread, start).open()


async def _tell_end(session: Session, thread_id: ThreadId) -> None:
    """Say, once a replay is at its end, how far it was the same."""

    async def outcome(wb: Workbench) -> ReplayOutcome:
        await wb.replays.ended(thread_id)
        return await replay_outcome(wb, thread_id)

    session.tell(f"Replayed. {(await session.ask(outcome)).words}")
