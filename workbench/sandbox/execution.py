"""The work of a run on its own thread: load the modules, run the code, carry its calls out and their answers in."""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from workbench.base.errors import BugError, UsageError, WorkbenchError
from workbench.sandbox.absent import instead_of
from workbench.sandbox.engines import Engine, Engines
from workbench.sandbox.guest import (
    OUT_LEAVING,
    SEND_CALL,
    SEND_REPORT,
    SEND_RESULT,
    Broken,
    Guest,
    MemoryLimit,
    Refused,
    StackOverflow,
)
from workbench.sandbox.host_calls import MOST_PENDING, MOST_PENDING_BYTES, Answer, HostCall, failed
from workbench.sandbox.import_places import ImportPlaces, readable
from workbench.sandbox.modules import HOST, INTERNAL, ModuleNotFound, host_module
from workbench.sandbox.outbox import Outbox
from workbench.sandbox.program import Program
from workbench.sandbox.results import CodeError, LogLine, Status
from workbench.sandbox.source_map import SourceMap
from workbench.sandbox.stopping import Stop, Stopped
from workbench.sandbox.traces import called, innermost_line, places, traced, traced_text, traced_value
from workbench.sandbox.typescript import SourceError, Transpiled
from workbench.sandbox.values import UNDEFINED, NotTransferable, read_message, write_message

_STACK_OVERFLOW = CodeError("RangeError", "Maximum call stack size exceeded")
_OVERFLOWS = {(_STACK_OVERFLOW.name, _STACK_OVERFLOW.message), ("InternalError", "stack overflow")}
_NOT_CALLED = "not a function"
_NEVER_SETTLED = CodeError("NeverSettled", "The code waits for a promise that nothing can settle any more.")


@dataclass(frozen=True, slots=True)
class Reported:
    value: object
    size: int


@dataclass(frozen=True, slots=True)
class Logged:
    line: LogLine


@dataclass(frozen=True, slots=True)
class Ended:
    """How the code ended; `trouble` instead when it is not the code's doing."""

    status: Status
    value: object = UNDEFINED
    error: CodeError | None = None
    memory_bytes: int = 0
    trouble: WorkbenchError | None = None


@dataclass(frozen=True, slots=True)
class _Settled:
    id: int
    size: int
    answer: Answer


class Execution:
    """Runs a program once; the host of its guest."""

    def __init__(
        self,
        program: Program,
        engines: Engines,
        specifiers: Mapping[str, str],
        memory_bytes: int,
        *,
        outbox: Outbox,
        stop: Stop,
    ) -> None:
        self._program, self._engines, self._specifiers = program, engines, specifiers
        self._memory_bytes, self._outbox, self._stop = memory_bytes, outbox, stop
        self._maps: dict[str, SourceMap] = {}
        self._imports = ImportPlaces()
        self._refusal: SourceError | None = None
        self._functions: list[Callable[..., object]] = []
        self._answers: queue.SimpleQueue[_Settled | None] = queue.SimpleQueue()
        self._pending = self._pending_bytes = 0
        self._result: Mapping[str, Any] | None = None
        self.has_begun = False

    def run(self) -> Ended:
        """From beginning to end, whatever happens."""
        try:
            engine = self._engines.take()
            try:
                return self._run_in(engine)
            finally:
                self._engines.give(engine)
        except Stopped:
            return Ended("terminated")
        except WorkbenchError as trouble:
            return Ended("error", trouble=trouble)
        except Exception as error:
            return Ended("error", trouble=BugError("The sandbox failed.", detail=repr(error)))

    def traced(self, stack: str) -> str:
        """A stack that the code handed out, in its author's terms."""
        return traced(stack, self._maps)

    def named(self, message: str, stack: str) -> str:
        """The words of an error that has this stack, with the name of what was called and cannot be, and with what
        there is instead of what is not here."""
        texts = self._imports.texts
        expression = called(stack, texts) if message == _NOT_CALLED else None
        if expression:
            return f"{expression} is {message}"
        more = instead_of(message, innermost_line(stack, texts)[0])
        return f"{message}. {more}" if more else message

    def _run_in(self, engine: Engine) -> Ended:
        guest = Guest(engine, self, self._memory_bytes, self._stop)

        def interrupt() -> None:
            engine.interrupt()
            self._answers.put(None)

        try:
            with self._stop.interrupting(interrupt):
                self.has_begun = True
                return self._run(guest)
        finally:
            guest.close()

    def _run(self, guest: Guest) -> Ended:
        try:
            guest.run(self._beginning())
            while self._result is None:
                if not self._pending:
                    if guest.ran_out_of_memory:  # the promise was lost with its error
                        raise MemoryLimit
                    return _failed("never_settled", _NEVER_SETTLED, guest)
                self._settle_next(guest)
            if self._result["ok"]:
                return Ended("success", self._value(self._result), memory_bytes=guest.memory_bytes)
            return self._failure(cast("dict[str, Any]", self._result["error"]), guest)
        except MemoryLimit:
            return _failed("memory_limit", self._memory_error(0), guest)
        except StackOverflow:
            return _failed("stack_overflow", _STACK_OVERFLOW, guest)
        except Broken as broken:
            return _failed("error", CodeError("SandboxError", f"The engine gave up: {broken}"), guest)

    def _value(self, result: Mapping[str, Any]) -> object:
        """What the code gave, in its author's terms; the host of tools traces the parts of an answer itself."""
        value = result.get("value", UNDEFINED)
        return traced_value(value, self._maps) if self._program.image == "plain" else value

    def _beginning(self) -> bytes:
        program = self._program
        asked = {
            "entry": program.entry,
            "fn": program.fn,
            "optional": program.optional,
            "args": program.args,
            "globals": program.globals,
            "imports": program.imports,
        }
        try:
            message = write_message(asked, self._register)
        except NotTransferable as error:
            raise UsageError(str(error)) from error
        if len(message) > self._most_at_once:
            raise UsageError(f"What the code is given {self._too_much(message)}")
        return message

    @property
    def _most_at_once(self) -> int:
        """Bytes of a message: in the code it takes its own size, and that of its value for as long as it is read."""
        return self._memory_bytes // 4

    def _too_much(self, message: bytes) -> str:
        size, most = (f"{size / (1 << 20):.0f} MiB" for size in (len(message), self._most_at_once))
        return f"takes {size}; at most {most} can be handed to code at once. Hand it over in parts."

    def _settle_next(self, guest: Guest) -> None:
        settled = self._answers.get()
        if settled is None:
            raise Stopped
        self._pending -= 1
        self._pending_bytes -= settled.size
        guest.settle(settled.id, self._answer_message(settled.answer))

    def _answer_message(self, answer: Answer) -> bytes:
        if answer.error is None:
            try:
                message = write_message({"ok": True, "value": answer.value}, self._register)
            except NotTransferable as error:
                answer = failed("TypeError", str(error))
            else:
                if len(message) <= self._most_at_once:
                    return message
                answer = failed("RangeError", f"The answer {self._too_much(message)}")
        return write_message({"ok": False, "error": answer.error}, self._register)

    def _register(self, function: Callable[..., object]) -> int:
        self._functions.append(function)
        return len(self._functions) - 1

    # ---- how it failed

    def _failure(self, told: dict[str, Any], guest: Guest) -> Ended:
        error = self._error(told)
        if out := guest.ran_out_of_memory:
            words = self._memory_error(out).message
            return _failed("memory_limit", replace(error, name="MemoryLimit", message=words), guest)
        overflow = (error.name, error.message) in _OVERFLOWS
        return _failed("stack_overflow" if overflow else "error", error, guest)

    def _memory_error(self, out: int) -> CodeError:
        needs = f"needs more than {self._memory_bytes >> 20} MiB of memory"
        what = "A value that leaves the code, with a copy on its way," if out == OUT_LEAVING else "The code"
        return CodeError("MemoryLimit", f"{what} {needs}.")

    def _error(self, told: dict[str, Any]) -> CodeError:
        refusal = self._refusal
        if refusal is not None and told["message"] == str(refusal):
            way = "".join(f"\n{_frame(*found)}" for found in self._imports.way_to(refusal.file))
            place, stack = (
                (refusal.file, refusal.line, refusal.column),
                _at(refusal) + traced(way, self._maps),
            )
            message = refusal.reason
        else:
            stack = traced(told["stack"], self._maps)
            message = self.named(readable(told["message"]), told["stack"])
            place = next(places(stack), None)
            if place is None and (found := self._imports.find(told["message"])) is not None:
                stack = traced(_frame(*found), self._maps)
                place = next(places(stack), None)
            place = place or ("", 0, 0)
        cause = told.get("cause")
        errors = tuple(self._error(one) for one in told.get("errors", ()))
        return CodeError(told["name"], message, stack, *place, self._error(cause) if cause else None, errors)

    # ---- what the guest asks

    def resolve(self, importer: str, specifier: str) -> str:
        if importer.startswith(INTERNAL):
            return specifier
        if specifier in self._program.imports:
            self._imports.resolved(importer, specifier, HOST + specifier)
            return HOST + specifier
        try:
            name = self._program.modules.resolve(specifier, importer)
        except ModuleNotFound as error:
            self._imports.refused(importer, specifier, str(error))
            raise Refused(str(error)) from error
        if name.startswith(INTERNAL):
            raise Refused(f"Cannot find module '{specifier}' imported from {importer}.")
        name = self._specifiers.get(name, name)
        self._imports.resolved(importer, specifier, name)
        return name

    def load(self, name: str) -> str:
        if name.startswith(HOST):
            specifier = name.removeprefix(HOST)
            return host_module(specifier, list(self._program.imports[specifier]))
        try:
            loaded = self._program.modules.load(name, self._stop)
        except SourceError as error:
            self._refusal = error
            raise Refused(str(error)) from error
        if isinstance(loaded, Transpiled):
            self._maps[name] = loaded.source_map
            text = loaded.code
        else:
            text = loaded
        self._imports.loaded(name, text)
        return text

    def call(self, message: bytes) -> bytes:
        answers: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        self._post(message, answers.put)
        with self._stop.interrupting(lambda: answers.put(None)):
            answer = answers.get()
        if answer is None:
            raise Stopped
        return self._answer_message(answer)

    def receive(self, kind: int, id: int, message: bytes) -> None:
        size = len(message)
        if kind == SEND_CALL:
            self._begin_call(id, message)
        elif kind == SEND_RESULT:
            self._result = cast("Mapping[str, Any]", read_message(message))
        elif kind == SEND_REPORT:
            value = traced_value(read_message(message), self._maps)
            self._outbox.put(Reported(value, size), size, self._stop)
        else:
            told = cast("dict[str, str]", read_message(message))
            text = traced_text(told["text"], self._maps)
            self._outbox.put(Logged(LogLine(told["level"], text)), size, self._stop)

    def _begin_call(self, id: int, message: bytes) -> None:
        size = len(message)
        self._pending += 1
        self._pending_bytes += size

        def answer(given: Answer) -> None:
            self._answers.put(_Settled(id, size, given))

        if self._pending > MOST_PENDING or self._pending_bytes > MOST_PENDING_BYTES:
            answer(
                failed(
                    "RangeError", "Too many calls of host functions are waiting; await some of them first."
                )
            )
        else:
            self._post(message, answer)

    def _post(self, message: bytes, answer: Callable[[Answer], object]) -> None:
        asked = cast("dict[str, Any]", read_message(message))
        arguments = cast("list[object]", asked["args"])
        function = self._functions[cast("int", asked["number"])]
        call = HostCall(function, arguments, answer)
        self._outbox.put(call, len(message), self._stop)


def _failed(status: Status, error: CodeError, guest: Guest) -> Ended:
    return Ended(status, error=error, memory_bytes=guest.memory_bytes)


def _at(error: SourceError) -> str:
    return _frame(error.file, error.line, error.column) if error.line else f"    at {error.file}"


def _frame(file: str, line: int, column: int) -> str:
    return f"    at {file}:{line}:{column}"
