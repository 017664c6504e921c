"""Definition files of every kind that tests write, small and right, for a test to spoil one of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workbench.app import Workbench

HEAD = "from workbench import *\n"

ECHO = (
    HEAD
    + """
Args = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"],
        "additionalProperties": False}
tool = define_tool(description="Give back what was sent.", args=Args, execute=lambda state, args: args["text"])
"""
)

DESK: Mapping[str, str] = {
    "agents/tools/echo.py": ECHO,
    "agents/models/offline.py": HEAD + 'model = define_model(name="offline", provider="scripted")\n',
    "agents/prompts/desk.py": HEAD
    + 'desk = define_prompt(name="desk", tool_description="Helps.", prompt="Help.", model="offline",\n'
    '    tools=["echo"])\n',
    "agents/agents/front.py": HEAD
    + 'front = define_agent(name="front", side_a=PromptSide("desk"), side_b=HumanSide())\n',
}
"""A project whose agent `front` has a person and the prompt `desk`, with one tool."""


def write_files(root: Path, *files: Mapping[str, str]) -> Path:
    """Write files below a project's folder, later ones over earlier ones; gives the folder."""
    for path, source in {path: source for each in files for path, source in each.items()}.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, encoding="utf-8")
    return root


def found(wb: Workbench) -> list[tuple[str, str]]:
    """Path and code of everything that is wrong, sorted."""
    return sorted((item.path, item.code) for item in wb.diagnostics())


def words(wb: Workbench, code: str) -> str:
    """Message and hint of the one finding with this code."""
    (item,) = [item for item in wb.diagnostics() if item.code == code]
    return f"{item.message} {item.hint}".strip()
