"""A project whose agent answers by a script, and the hands that talk to it in a window."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.app.agent_files import ECHO, HEAD, write_files
from tests.gui.desk import Desk, open_desk
from tests.gui.driving import move_pointer, until
from workbench.app.conversation.rows import Call, Row
from workbench.domain.threads import Thread, ThreadStatus
from workbench.gui.thread.thread_document import ThreadDocument

PAY = (
    HEAD
    + """
tool = define_tool(description="Pay.", args={"type": "object", "properties": {"cents": {"type": "integer"}}},
                   needs_approval=True, execute=lambda state, args: f"paid {args['cents']}")
"""
)
WAIT = (
    HEAD
    + """
import asyncio
async def execute(state, args):
    print("waiting")
    await asyncio.sleep(600)
tool = define_tool(description="Wait.", args={"type": "object", "properties": {}}, execute=execute)
"""
)
DRAW = (
    HEAD
    + """
import base64, struct, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
def execute(state, args):
    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    pixels = zlib.compress((b"\\x00" + b"\\x20" * 24) * 8)
    data = b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    files = [ToolAttachment(name="dot.png", mime_type="image/png", data=base64.b64encode(data).decode())]
    return ToolResult.success("Drawn.", attachments=files)
tool = define_tool(description="Draw.", args={"type": "object", "properties": {}}, execute=execute)
"""
)
FILES: Mapping[str, str] = {
    "agents/tools/echo.py": ECHO,
    "agents/tools/pay.py": PAY,
    "agents/tools/wait.py": WAIT,
    "agents/tools/draw.py": DRAW,
    "agents/models/offline.py": HEAD
    + 'm = define_model(name="offline", provider="scripted", model="talk.json")\n',
    "agents/prompts/helper.py": HEAD
    + 'p = define_prompt(name="helper", tool_description="Helps.", prompt="Help.", model="offline",\n'
    '    include_chat=True, include_past_tools=True, tools=["echo", "pay", "wait", "draw"])\n',
    "agents/agents/front.py": HEAD
    + 'a = define_agent(name="front", side_a=PromptSide("helper"), side_b=HumanSide(label="guest"))\n',
}


def write_talk(
    root: Path, steps: Sequence[Mapping[str, Any]], *more: Mapping[str, str], **script: Any
) -> Path:
    """A project whose model says these things, then repeats what it is told."""
    replies = [{"text": "You said: {{user}}"}]
    return write_files(
        root, FILES, {"talk.json": json.dumps({"steps": steps, "replies": replies, **script})}, *more
    )


class Talk:
    """A desk with a thread's document in front."""

    def __init__(self, desk: Desk, document: ThreadDocument) -> None:
        self.desk = desk
        self.document = document

    @property
    def model(self) -> Any:
        return self.document.conversation.model

    def rows(self) -> list[Row]:
        return [self.model.row(at) for at in range(self.model.count())]

    def words(self) -> list[str]:
        """What a screen reader says of each row."""
        return [self.model.words(row) for row in self.rows()]

    def call(self, tool: str) -> Call:
        return next(row for row in self.rows() if isinstance(row, Call) and row.called.tool == tool)

    def said(self, words: str) -> bool:
        return any(words in line for line in self.words())

    async def say(self, words: str) -> None:
        """Type a message and send it with the keys."""
        field = self.document.box.field
        field.setFocus()
        field.setPlainText(words)
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)

    async def status(self, *wanted: ThreadStatus) -> None:
        await until(lambda: self.document.now is not None and self.document.now.status in wanted)

    async def parked(self) -> None:
        await self.status(ThreadStatus.AWAITING_HUMAN, ThreadStatus.IDLE)

    def click(self, row: Row, action: str) -> None:
        """Press a button that a row paints."""
        page = self.document.conversation
        view, width = page.view, page.view.viewport().width()
        at = page.model.place(row)
        view.scrollTo(page.model.index(at, 0))
        painted = page.painter.actions(row, width, view.look(at)._replace(hovered=True))
        rect = next(one.rect for one in painted if one.id == action)
        place = rect.center().toPoint() + QPoint(0, view.rowViewportPosition(at))
        move_pointer(view.viewport(), place)
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


@asynccontextmanager
async def talking(root: Path, *, agent: str = "front", files: int = len(FILES)) -> AsyncGenerator[Talk]:
    """A window with a new thread of an agent in front, nothing said yet."""
    async with open_desk(root, tools=files) as desk:
        await until(lambda: all(listing.definition for listing in desk.session.listings))
        thread: Thread = await desk.session.ask(lambda wb: wb.threads.start(agent))
        document = desk.space.opener.threads.show(thread.id)
        await until(lambda: document.now is not None)
        yield Talk(desk, document)
