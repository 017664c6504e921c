"""How an author's state reaches the engine: by answers to await, or by answers to block for (D4)."""

from __future__ import annotations

import builtins
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from workbench import authoring
from workbench.worker.channel import LONG_TEXT, Channel
from workbench.worker.exact_json import NotJsonError, to_json
from workbench.worker.frames import Frame
from workbench.worker.spelling import snake_case

if TYPE_CHECKING:
    from concurrent.futures import Future

_REFUSALS = frozenset(
    {
        "AttributeError",
        "FileExistsError",
        "FileNotFoundError",
        "IsADirectoryError",
        "KeyError",
        "LookupError",
        "NotADirectoryError",
        "OSError",
        "PermissionError",
        "RuntimeError",
        "TypeError",
        "ValueError",
    }
)

Question = tuple[str, dict[str, Any]]
"""A method of the engine and its parameters."""

_T = TypeVar("_T")


class Done:
    """The answer of what has already happened: to be awaited or not."""

    def __await__(self) -> Generator[None, None, None]:
        return
        yield


class Asking:
    """The questions of one call."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.awaited = False
        """Whether `ask` gives an awaitable, or blocks and gives the value itself."""
        self.is_over = False
        """The call has ended; a thread that it left behind must not speak in the name of the next one."""

    def ask(self, method: str, params: Mapping[str, Any], convert: Callable[[Any], Any] | None = None) -> Any:
        if not self.awaited:
            return self.ask_now(method, params, convert)
        answer = self._await_answer(method, params, convert)
        answer.__qualname__ = snake_case(method)  # what Python says when nobody awaits it
        return answer

    def ask_now(
        self, method: str, params: Mapping[str, Any], convert: Callable[[Any], Any] | None = None
    ) -> Any:
        """Block until the answer is there, whatever the call's style."""
        return _value_of(self.send(method, params).result(), convert)

    async def _await_answer(
        self, method: str, params: Mapping[str, Any], convert: Callable[[Any], Any] | None
    ) -> Any:
        import asyncio

        return _value_of(await asyncio.wrap_future(self.send(method, params)), convert)

    def ask_in_turn(self, questions: Generator[Question, Any, _T]) -> Any:
        """Ask what `questions` yields and send it each answer; the outcome is what it returns."""
        if self.awaited:
            return self._await_in_turn(questions)
        answer: Any = None
        try:
            while True:
                answer = self.ask_now(*questions.send(answer))
        except StopIteration as end:
            return end.value

    async def _await_in_turn(self, questions: Generator[Question, Any, _T]) -> _T:
        answer: Any = None
        try:
            while True:
                method, params = questions.send(answer)
                answer = await self._await_answer(method, params, None)
        except StopIteration as end:
            return end.value

    def of(self, thread_id: str) -> Asking:
        """What is asked in the name of another thread."""
        return AskingOf(self, thread_id)

    def send(self, method: str, params: Mapping[str, Any]) -> Future[Frame]:
        """Ask without waiting. Raises RuntimeError once the call is over."""
        self._check_open()
        return self.channel.ask(method, _plain(params))

    def _check_open(self) -> None:
        if self.is_over:
            raise RuntimeError("The call is over; its state answers no more.")

    def tell(self, op: str, parts: list[bytes], **header: Any) -> Awaitable[None] | None:
        """Send what has no answer."""
        self._check_open()
        self.channel.emit({"op": op, **header}, parts)
        return self.done()

    def done(self) -> Any:
        return Done() if self.awaited else None


class AskingOf(Asking):
    """The questions that one call asks in the name of another thread, a parent or a child of its own (T18)."""

    def __init__(self, call: Asking, thread_id: str) -> None:
        super().__init__(call.channel)
        self.awaited = call.awaited
        self._call = call
        self._thread_id = thread_id

    def of(self, thread_id: str) -> Asking:
        return self._call.of(thread_id)

    def send(self, method: str, params: Mapping[str, Any]) -> Future[Frame]:
        return self._call.send("inThread", {**params, "ofThread": self._thread_id, "ofMethod": method})

    def tell(self, op: str, parts: list[bytes], **header: Any) -> Awaitable[None] | None:
        if op != "emit":
            return self._call.tell(op, parts, **header)  # what is logged is logged by the call
        self.ask_now("emit", {"event": header["event"], "dataJson": parts[0].decode()})
        return self.done()


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in params.items():
        if isinstance(value, str) and len(value) > LONG_TEXT:
            continue  # a file's content, which is not worth looking through twice
        try:
            to_json(value)
        except NotJsonError as error:
            raise NotJsonError(f"{name}: {error}") from None
    return dict(params)


def _value_of(frame: Frame, convert: Callable[[Any], Any] | None) -> Any:
    header, parts = frame
    if "refused" in header:
        raise _refusal(header["refused"], header["message"])
    value = parts[0].decode() if parts else header.get("value")
    return convert(value) if convert else value


def _refusal(type_name: str, message: str) -> Exception:
    """The exception that the engine's refusal names; RuntimeError for a name that nobody knows here."""
    known: Any = getattr(authoring, type_name, None)
    if type_name in _REFUSALS:
        known = getattr(builtins, type_name)
    if isinstance(known, type) and issubclass(known, Exception):
        return known(message)
    return RuntimeError(message)
