"""What a person does with models by hand: answer in the place of one, and see how a request goes over the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from workbench.app.drafts import Drafts
from workbench.base.errors import UserError
from workbench.base.ids import RequestId, ThreadId
from workbench.domain.changes import Changes
from workbench.domain.model_requests import ModelRequest
from workbench.domain.models import ModelDefinition
from workbench.domain.requests import Request
from workbench.domain.threads import WrittenAnswer
from workbench.domain.writes import TakeInbound
from workbench.engine.services import Services
from workbench.engine.threads.wishes import answer_elsewhere
from workbench.models import Models
from workbench.models.human import WrittenCall


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A request that waits for a person who is the model. `thread_id` and `request_id` say where it came up."""

    id: str
    request: ModelRequest
    thread_id: ThreadId | None
    request_id: RequestId | None

    @property
    def place(self) -> str:
        """Where its draft is kept: a thread that asks the same again after a restart finds it there, its next
        question does not."""
        if self.thread_id is None:
            return self.id
        conversation = self.request.conversation.replace("/", "-")
        return f"{self.thread_id}-{conversation}-{self.request.answers}"


class ModelDesk:
    """Belongs to the loop that opened the project. `Workbench.models` is one."""

    def __init__(self, services: Services, models: Models, folder: Path) -> None:
        self._services = services
        self._models = models
        self._drafts = Drafts(folder)
        self._elsewhere: tuple[OpenQuestion, ...] = ()
        """What other processes ask."""
        models.human.on_change = self._tell

    # --- you are the model

    def questions(self) -> tuple[OpenQuestion, ...]:
        """What waits for a person, here or in a thread that another process runs, oldest first."""
        here = [
            OpenQuestion(
                question.id,
                question.request,
                question.asker.thread_id if question.asker else None,
                question.asker.request_id if question.asker else None,
            )
            for question in self._models.human.questions
        ]
        return tuple(sorted((*here, *self._elsewhere), key=lambda one: one.id))

    async def heed(self) -> None:
        """Another process has written: take what it answers to what is asked here, and see what it asks."""
        store = self._services.store
        for question in self._models.human.questions:
            waiting = await store.inbox(question.asker.thread_id) if question.asker is not None else ()
            for one in waiting:
                answer = one.answer
                if answer is not None and question.asker and answer.request_id == question.asker.request_id:
                    await store.commit(TakeInbound(one.id))
                    with suppress(UserError):  # it was answered here meanwhile
                        self._give(question.id, answer.text, answer.calls, answer.declined)
        asked = await store.questions_elsewhere()
        elsewhere = tuple(OpenQuestion(one, request, thread_id, one) for thread_id, one, request in asked)
        if elsewhere != self._elsewhere:
            self._elsewhere = elsewhere
            self._tell()

    def asks(self, thread_id: ThreadId) -> bool:
        """Whether something of the thread waits for a person."""
        return any(question.thread_id == thread_id for question in self.questions())

    async def answer(self, question_id: str, text: str = "", calls: Sequence[tuple[str, str]] = ()) -> None:
        """Answer as the model: words, and calls by tool and arguments.

        Raises UserError when nobody waits for it, RunError when the process that asks does not take it.
        """
        if not text and not calls:
            raise UserError("An answer says something or calls a tool.", hint="Write a text or add a call.")
        await self._settle(question_id, text=text, calls=tuple(calls))

    async def decline(self, question_id: str, reason: str = "") -> None:
        """Give no answer: the step fails. Raises as `answer` does."""
        await self._settle(question_id, declined=reason)

    async def _settle(
        self,
        question_id: str,
        *,
        text: str = "",
        calls: tuple[tuple[str, str], ...] = (),
        declined: str | None = None,
    ) -> None:
        question = next((one for one in self.questions() if one.id == question_id), None)
        if question is None or question not in self._elsewhere:
            self._give(question_id, text, calls, declined)
        elif question.thread_id is not None and question.request_id is not None:
            answer = WrittenAnswer(request_id=question.request_id, text=text, calls=calls, declined=declined)
            await answer_elsewhere(self._services, question.thread_id, answer)
            await self.heed()
        if question is not None:
            await asyncio.to_thread(self._drafts.forget, question.place)

    def _give(
        self, question_id: str, text: str, calls: Sequence[tuple[str, str]], declined: str | None
    ) -> None:
        """Raises UserError when nobody here waits for it."""
        if declined is not None:
            self._models.human.decline(question_id, declined)
        else:
            self._models.human.answer(question_id, text, [WrittenCall(*call) for call in calls])

    async def draft(self, question: OpenQuestion) -> Mapping[str, object] | None:
        """What was written of an answer and not sent yet."""
        return await asyncio.to_thread(self._drafts.read, question.place)

    async def keep_draft(self, question: OpenQuestion, draft: Mapping[str, object]) -> None:
        """Keep what is written of an answer, secrets masked (V6). Raises UserError when it cannot be written."""
        masker = await self._services.variables.refresh_masker()
        try:
            await asyncio.to_thread(self._drafts.write, question.place, masker.mask_json(draft))
        except OSError as error:
            raise UserError(f"The draft cannot be kept: {error.strerror}.") from error

    def _tell(self) -> None:
        threads = frozenset(one.thread_id for one in self.questions() if one.thread_id is not None)
        self._services.bus.changed(Changes(questions=True, threads=threads))

    # --- the wire

    async def curl(self, request: Request, asked: ModelRequest) -> str:
        """A command line that sends what a request sent, its key as a variable of the shell.

        Raises UserError when its model is not there any more or has no wire, ModelError when its client refuses it.
        """
        name = request.attempts[0].model if request.attempts else ""
        model = self._services.catalog.directory.find(ModelDefinition, name)
        if model is None:
            raise UserError(
                f"How the model {name or asked.model} was reached is not known any more.",
                hint="Its definition is gone, or it was never asked.",
            )
        wire = await self._models.wire(asked, model.base_url)
        return wire.curl(model.key_variable)
