"""A new definition gets only a name under which its file works."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.app.definitions.definition_templates import DEFINITION_TEMPLATES, write_definition
from workbench.app.definitions.tool_templates import write_tool
from workbench.app.new_names import check_new_name
from workbench.base.errors import UserError
from workbench.domain.definitions import DefinitionKind


@pytest.mark.rule("D1", "D2")
@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        (DefinitionKind.TOOL, "Fetch-Order", "beginning with a letter: fetch_order"),
        (DefinitionKind.TOOL, "1", "beginning with a letter: fetch_order"),
        (DefinitionKind.TOOL, "subagents", "built in"),
        (DefinitionKind.AGENT, "subagent_create", "built in"),
        (DefinitionKind.PROMPT, "p" * 65, "65 characters"),
        (DefinitionKind.HOOK, "test_mask", "counts as a test"),
        (DefinitionKind.EFFECT, "mail/test_digest", "counts as a test"),
        (DefinitionKind.EFFECT, "mail//digest", "mail_digest"),
    ],
)
def test_a_name_under_which_the_new_file_would_not_work_is_refused(
    kind: DefinitionKind, name: str, words: str
) -> None:
    with pytest.raises(UserError) as refused:
        check_new_name(kind, name, ".py")
    assert words in f"{refused.value.message} {refused.value.hint}"


def test_a_name_may_be_what_its_folder_and_its_language_allow(tmp_path: Path) -> None:
    assert write_tool(tmp_path, "Fetch-order", "agent-sdk").is_file()
    check_new_name(DefinitionKind.HOOK, "test_mask", ".ts")


@pytest.mark.parametrize("kind", DEFINITION_TEMPLATES)
def test_a_name_that_means_something_in_python_makes_a_file_that_loads(
    tmp_path: Path, kind: DefinitionKind
) -> None:
    for name in ("class", "len"):
        for path in write_definition(tmp_path, kind, name):
            compile(path.read_text(), path.name, "exec")
    assert not any("def len(" in path.read_text() for path in tmp_path.rglob("*.py"))
