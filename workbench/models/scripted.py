"""A model that plays a script: offline, the same every time, and streamed like a real one."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from workbench.base.errors import RunError
from workbench.base.exact_json import dump
from workbench.domain.model_answers import (
    ArgumentsDelta,
    CallNamed,
    Delta,
    Finished,
    FinishReason,
    ModelFailure,
    ReasoningDelta,
    TextDelta,
    Usage,
    UsageReported,
)
from workbench.domain.model_requests import ModelRequest
from workbench.engine.ports import ModelAccess, ModelError
from workbench.models.rejections import rejected
from workbench.models.script import Pace, Script, ScriptedCall, Step, quote, text_of
from workbench.models.script_reading import read_script
from workbench.models.templates import Template

BUILT_IN = "default"
"""The script that is there without a file: it says what it is and repeats what it was told."""

_CHARACTERS_A_TOKEN = 4

_AT_REST_NS = 100_000_000
"""A file changed no longer ago than this may change once more without its times telling it."""

_DEFAULT = Script(
    replies=(
        Step.model_validate({"when": {"isError": False}, "text": "The tool gave: {{result}}"}),
        Step.model_validate({"when": {"isError": True}, "text": "The tool failed: {{result}}"}),
        Step(text="I am a script and answer without any network. You said: {{user}}"),
    )
)


class _Read(NamedTuple):
    """A script as it was read, and what told that state of its file from any other: `_stamp`."""

    stamp: tuple[int, int, int]
    script: Script


class ScriptedModels:
    """A ModelPort whose models are script files of the project; `model` of a request is the path below `root`.

    Where a request stands in its script follows from the request alone, so that a script goes on after a
    restart, and in a fork. `pause` waits for seconds.
    """

    def __init__(self, root: Path, *, pause: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        self._root = root
        self._pause = pause
        self._failed: Counter[tuple[str, str, int]] = Counter()
        self._played: dict[tuple[str, str], tuple[Script, int]] = {}
        self._scripts: dict[str, Script] = {}
        self._read: dict[str, _Read] = {}
        """What files held, by name; good as long as their stamps say the same."""

    def add(self, name: str, script: Script) -> None:
        """A script without a file: a recording, or a test's own."""
        self._scripts[name] = script

    async def stream(self, request: ModelRequest, access: ModelAccess) -> AsyncGenerator[Delta]:
        """See ModelPort. Nothing of `access` is needed."""
        script = await self._script(request.model)
        place = (request.model, request.conversation, request.answers)
        step = script.at(request, self._failed[place])
        last = request.turns[-1] if request.turns else None
        if step is None and script.strict:
            message = (
                f"The script {request.model} has no answer number {request.answers + 1}, to {quote(last)}."
            )
            steps = len(script.steps_of(request.conversation))
            raise rejected(message, f"It has {steps} steps; add one, or a reply that fits.")
        if step is None:
            step = Step(text="The script says no more.")
        if step.when and not step.when.holds(last):
            message = f"Answer number {request.answers + 1} of the script {request.model} is for {step.when}."
            raise rejected(message, f"The conversation ends with {quote(last)}.")
        if step.fail:
            self._failed[place] += 1
        else:
            self._failed.pop(place, None)
            self._played[request.model, request.conversation] = (script, request.answers + 1)
        async for delta in self._play(step, script.pace, request):
            yield delta

    def check_used(self) -> None:
        """Raises RunError that names the strict scripts that were begun and not played to their last step."""
        left = [
            f"{name}: {len(answers) - played} of {len(answers)} steps"
            for (name, conversation), (script, played) in self._played.items()
            if script.strict and played < len(answers := _answers(script, conversation))
        ]
        if left:
            raise RunError(f"Not every scripted answer was asked for: {'; '.join(left)}.")

    async def close(self) -> None:
        """See ModelPort."""

    async def _script(self, name: str) -> Script:
        if name in self._scripts:
            return self._scripts[name]
        if name == BUILT_IN:
            return _DEFAULT
        path, read = self._root / name, self._read.get(name)
        try:
            stamp = _stamp(path)  # before the file is read, so that a change meanwhile is seen the next time
            if read is not None and read.stamp == stamp:
                return read.script
            text = await asyncio.to_thread(path.read_text, "utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise rejected(f"The script {name} cannot be read: {why_not_read(error)}.", _LOOKED_FOR) from None
        script = await asyncio.to_thread(read_script, text)
        if isinstance(script, Script):
            if stamp[0] < time.time_ns() - _AT_REST_NS:
                self._read[name] = _Read(stamp, script)
            return script
        fault = script[0]
        raise rejected(
            f"The script {name} is not valid, line {fault.line}: {fault.message}",
            "Correct it and send again.",
        )

    async def _play(self, step: Step, pace: Pace, request: ModelRequest) -> AsyncGenerator[Delta]:
        for timed in step.deltas:
            await self._pause(timed.after_ms / 1000)
            yield timed.delta
        if step.deltas:
            return
        for delta in _deltas(step, pace.characters, request):
            yield delta
            await self._pause(pace.pause_ms / 1000)
        if fail := step.fail:
            raise ModelError(ModelFailure(kind=fail.kind, message=fail.message, retry_after=fail.retry_after))
        yield UsageReported(usage=step.usage or _usage(step, request))
        yield Finished(reason=step.finish or (FinishReason.TOOL_CALLS if step.calls else FinishReason.STOP))


def _answers(script: Script, conversation: str) -> list[Step]:
    return [step for step in script.steps_of(conversation) if step.fail is None]


def why_not_read(error: OSError | UnicodeDecodeError) -> str:
    """In words that go on a sentence."""
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return "it is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error.strerror)


_LOOKED_FOR = "The model's field `model` is the path of its script below the project's folder."


def _stamp(path: Path) -> tuple[int, int, int]:
    """When the file last changed in any way, which nobody can set, and which file it is. Raises OSError."""
    found = path.stat()
    return (found.st_ctime_ns, found.st_size, found.st_ino)


def _deltas(step: Step, characters: int, request: ModelRequest) -> Iterator[Delta]:
    template = Template(request)
    for piece in _pieces(template.text(step.reasoning), characters):
        yield ReasoningDelta(text=piece)
    for piece in _pieces(template.text(step.text), characters):
        yield TextDelta(text=piece)
    for index, call in enumerate(step.calls):
        call_id = call.id or f"call_{request.answers + 1}_{index + 1}"
        yield CallNamed(index=index, id=call_id, name=call.name)
        for piece in _pieces(_arguments(call, template), characters):
            yield ArgumentsDelta(index=index, text=piece)


def _arguments(call: ScriptedCall, template: Template) -> str:
    if isinstance(call.arguments, str):
        return template.text(call.arguments)
    return dump(template.json(call.arguments))


def _pieces(text: str, characters: int) -> Iterator[str]:
    for start in range(0, len(text), characters):
        yield text[start : start + characters]


def _usage(step: Step, request: ModelRequest) -> Usage:
    """What a model of four characters a token would count."""
    asked = len(request.system) + sum(len(text_of(turn)) for turn in request.turns)
    said = len(step.reasoning) + len(step.text) + sum(len(str(call.arguments)) for call in step.calls)
    return Usage(input_tokens=asked // _CHARACTERS_A_TOKEN, output_tokens=said // _CHARACTERS_A_TOKEN)
