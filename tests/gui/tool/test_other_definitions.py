"""Prompts, agents and models in the window: listed by kind, opened as what they are."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtWidgets import QLabel

from tests.app.agent_files import DESK, HEAD, write_files
from tests.gui.desk import Desk, open_desk, settle
from tests.gui.driving import Ui, until
from workbench.domain.definitions import DefinitionKind
from workbench.gui.controls.words import Words
from workbench.gui.tool.tool_document import Page, ToolDocument

PROMPT = HEAD + (
    'desk = define_prompt(name="desk", tool_description="Helps.", model="offline", tools=["echo"],\n'
    '    prompt=["You work at ", Env("DESK_NAME"), "."], variables=[Variable("DESK_NAME", type="text")])\n'
)


async def opened(desk: Desk, kind: DefinitionKind, name: str) -> ToolDocument:
    (listing,) = [one for one in desk.session.listings if (one.file.kind, one.name) == (kind, name)]
    document = await desk.space.opener.open_tool(listing)
    await settle()
    return document


def words(document: ToolDocument) -> str:
    labels = [label.text() for label in document.definition.findChildren(QLabel)]
    return "\n".join([*labels, *(one.words for one in document.definition.findChildren(Words))])


def test_each_kind_has_its_group_and_opens_as_what_it_is(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        root = write_files(tmp_path / "desk", DESK, {"agents/prompts/desk.py": PROMPT})
        async with open_desk(root, tools=len(DESK)) as desk:
            model = desk.space.navigator.model
            titles = [model.words(model.row(at)) for at in range(model.count())]
            assert [title for title in titles if ", 1" in title] == [
                "Tools, 1",
                "Prompts, 1",
                "Agents, 1",
                "Models, 1",
            ]
            agent = await opened(desk, DefinitionKind.AGENT, "front")
            assert agent.page is Page.DEFINITION
            assert agent.form is None
            await until(lambda: "a person" in words(agent))
            prompt = await opened(desk, DefinitionKind.PROMPT, "desk")
            assert "You work at ⟨DESK_NAME⟩." in words(prompt)
            assert "offline" in words(prompt)
            if shot := os.environ.get("SHOT"):
                desk.window.grab().save(shot)
            tool = await opened(desk, DefinitionKind.TOOL, "echo")
            assert tool.page is Page.FORM

    ui.run(story())


def test_a_prompt_that_names_nothing_says_so_in_its_document_and_mends_itself(ui: Ui, tmp_path: Path) -> None:
    async def story() -> None:
        bad = PROMPT.replace('"offline"', '"ofline"')
        root = write_files(tmp_path / "desk", DESK, {"agents/prompts/desk.py": bad})
        async with open_desk(root, tools=len(DESK)) as desk:
            document = await opened(desk, DefinitionKind.PROMPT, "desk")
            await until(lambda: "Did you mean offline?" in words(document))
            write_files(root, {"agents/prompts/desk.py": PROMPT})
            await until(lambda: "Did you mean" not in words(document))
            assert document.page is Page.DEFINITION

    ui.run(story())
