"""The peer: pydantic-ai with a model that is a function. It keeps the messages in memory and stores nothing."""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits

from tests.bench.peers.rounds import answer_rounds


async def main() -> None:
    last = 0

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        done = len(messages) // 2
        part = ToolCallPart("noop", {"n": done}) if done < last else TextPart("done")
        return ModelResponse(parts=[part])

    async def noop(n: int) -> str:
        return "ok"

    agent = Agent(FunctionModel(answer), tools=[noop])

    async def turn(steps: int) -> None:
        nonlocal last
        last = steps
        result = await agent.run("Go", usage_limits=UsageLimits(request_limit=None))
        assert len(result.all_messages()) == 2 * steps + 2

    await answer_rounds(turn)


if __name__ == "__main__":
    asyncio.run(main())
