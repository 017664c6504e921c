"""The peer: the OpenAI Agents SDK with its SQLite session, a new one for each turn.

FOLDER is where the file lies. It keeps what the person said, and after each step the items of that step.
"""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

from agents import (
    Agent,
    Model,
    ModelResponse,
    Runner,
    SQLiteSession,
    Usage,
    function_tool,
    set_tracing_disabled,
)
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from tests.bench.peers.rounds import answer_rounds


class Scripted(Model):
    """Calls the tool `last` times, then is done."""

    last = 0

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:
        done = len(input) // 2
        return ModelResponse(output=[self._output(done)], usage=Usage(), response_id=None)

    def _output(self, done: int) -> ResponseFunctionToolCall | ResponseOutputMessage:
        if done < self.last:
            arguments = f'{{"n": {done}}}'
            return ResponseFunctionToolCall(
                type="function_call",
                id=f"fc_{done}",
                call_id=f"call_{done}",
                name="noop",
                arguments=arguments,
            )
        text = ResponseOutputText(type="output_text", text="done", annotations=[])
        return ResponseOutputMessage(
            type="message", id="m", role="assistant", status="completed", content=[text]
        )

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


@function_tool
async def noop(n: int) -> str:
    """Nothing."""
    return "ok"


async def main(folder: Path) -> None:
    set_tracing_disabled(True)
    model = Scripted()
    agent = Agent("bench", model=model, tools=[noop])

    async def turn(steps: int) -> None:
        model.last = steps
        session = SQLiteSession(str(uuid4()), folder / "agents.db")
        result = await Runner.run(agent, "Go", session=session, max_turns=steps + 1)
        assert len(result.to_input_list()) == 2 * steps + 2
        session.close()

    await answer_rounds(turn)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
