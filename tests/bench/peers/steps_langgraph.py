"""The peer: LangGraph with its SQLite checkpointer: a model node, its ToolNode, a new thread for each turn.

FOLDER is where the file lies. After each node it keeps a checkpoint with all messages so far and the node's writes,
by default beside the next node's work: the fastest of its ways that keep every step. Its synchronous saver is the
faster one, too.
"""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from tests.bench.peers.rounds import answer_rounds


class Scripted(BaseChatModel):
    """Calls the tool `last` times, then is done."""

    last: int = 0

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        done = len(messages) // 2
        call = {"name": "noop", "args": {"n": done}, "id": f"call_{done}"}
        message = AIMessage("", tool_calls=[call]) if done < self.last else AIMessage("done")
        return ChatResult(generations=[ChatGeneration(message=message)])


@tool
def noop(n: int) -> str:
    """Nothing."""
    return "ok"


async def main(folder: Path) -> None:
    model = Scripted()

    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", ask)
    graph.add_node("tools", ToolNode([noop]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")

    with SqliteSaver.from_conn_string(str(folder / "langgraph.db")) as saver:
        compiled = graph.compile(checkpointer=saver)

        async def turn(steps: int) -> None:
            model.last = steps
            config = {"configurable": {"thread_id": str(uuid4())}, "recursion_limit": 10_000}
            state = compiled.invoke({"messages": [("user", "Go")]}, config)
            assert len(state["messages"]) == 2 * steps + 2

        await answer_rounds(turn)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
