"""A tool in TypeScript with an error: it is marked and gone to at the line and column where its author wrote it."""

from __future__ import annotations

from pathlib import Path

from tests.gui.desk import TOOLS, Desk, open_desk
from tests.gui.driving import Ui, until
from workbench.gui.calls.call_document import CallDocument
from workbench.gui.editor.frame_links import FrameLinks
from workbench.gui.tool.tool_document import Page

IMPORTS = """import { defineTool } from '@standardagents/spec';
import { z } from 'zod';
type Price = { öre: number };
import { price } from './prices';

export default defineTool({ description: 'x', args: z.object({}), execute: async () => price() });
"""
THROWS = """import { defineTool } from '@standardagents/spec';

enum Shelf { Low, High }
interface Parcel { weight: number; shelf?: Shelf }

function weigh(parcel: Parcel | null): number {
  return parcel!.weight * 2;
}

export default defineTool({
  description: 'Weighs a parcel.',
  execute: async () => ({ status: 'success', result: String(weigh(null)) }),
});
"""


def caret(desk: Desk) -> tuple[int, int]:
    cursor = desk.tool.source.editor.edit.textCursor()
    return cursor.blockNumber() + 1, cursor.positionInBlock() + 1


def test_an_error_is_marked_and_gone_to_at_its_line_and_column(ui: Ui, project: Path) -> None:
    (project / "agents/tools/pricing.ts").write_text(IMPORTS, encoding="utf-8")
    (project / "agents/tools/weighing.ts").write_text(THROWS, encoding="utf-8")

    async def scenario() -> None:
        async with open_desk(project, tools=TOOLS + 2) as desk:
            broken = await desk.open("pricing", Page.SOURCE)
            editor = broken.source.editor
            await until(lambda: editor.is_open and editor.edit.problems_by_line())
            assert list(editor.edit.problems_by_line()) == [4]
            assert "'./prices'" in {mark.cursor.selectedText() for mark in editor.edit.extraSelections()}
            broken.go_to(broken.listing.diagnostics[0])
            assert caret(desk) == (4, 23)

            row = await desk.run("weighing")
            assert "debug" not in desk.tool.offers()
            desk.space.opener.show_call(row.call_id)
            call = desk.space.documents.front
            assert isinstance(call, CallDocument)
            await until(lambda: call.findChildren(FrameLinks))
            (links,) = call.findChildren(FrameLinks)
            first, second = links.links
            assert [(each.line, each.column) for each in (first, second)] == [(7, 10), (12, 61)]
            links.opened.emit(first.path, first.line, first.column)
            await until(lambda: desk.space.tool is not None and desk.space.tool.name == "weighing")
            await until(lambda: desk.tool.source.editor.is_open and caret(desk) == (7, 10))

    ui.run(scenario())
