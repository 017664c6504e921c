"""Whether a thread of an agent can run, and what is kept of the definitions that it ran with."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.base.errors import UserError
from workbench.domain.agents import AgentDefinition
from workbench.domain.definitions import DefinitionFile, DefinitionKind, Dialect, Language, LoadedFile
from workbench.domain.prompts import PromptDefinition
from workbench.engine.catalog import Catalog

FRONT = {"name": "front", "sideA": {"prompt": "desk"}, "sideB": {"human": True}}
DESK = {"name": "desk", "toolDescription": "d", "prompt": "x", "model": "small"}
SMALL = {"name": "small", "provider": "scripted"}


def catalog_of(**definitions: dict[str, Any] | None) -> Catalog:
    """A catalog of files called `kind_name`, with these fields; None is a file that did not load."""
    catalog = Catalog([Language.PYTHON])
    files = {name: _file(DefinitionKind(name.split("_")[0]), name) for name in definitions}
    catalog.discovered(files.values(), ())
    for name, fields in definitions.items():
        file = files[name]
        raw = (
            None if fields is None else {"kind": file.kind.value, "line": 4, "fields": fields, "schemas": {}}
        )
        catalog.loaded(LoadedFile(file=file, raw=raw), f"the source of {name}")
    return catalog


def _file(kind: DefinitionKind, name: str) -> DefinitionFile:
    return DefinitionFile(
        path=f"agents/{kind}s/{name}.py",
        kind=kind,
        dialect=Dialect.STANDARD_AGENTS,
        language=Language.PYTHON,
        name=name,
        digest="",
    )


@pytest.mark.rule("T1")
def test_an_agent_with_all_that_it_needs_can_run() -> None:
    catalog = catalog_of(agent_front=FRONT, prompt_desk={**DESK, "tools": ["nothing"]}, model_small=SMALL)
    catalog.check_startable(catalog.require(AgentDefinition, "front"))


@pytest.mark.rule("T1")
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"prompt_desk": {**DESK, "model": "smal"}}, "names the model smal"),
        ({"prompt_desk": {**DESK, "name": "desc"}}, "names the prompt desk, which is not there"),
        ({"prompt_desk": {**DESK, "prompt": [{"type": "include", "prompt": "desk"}]}}, "includes itself"),
        ({"prompt_desk": {**DESK, "prompt": [{"type": "include", "prompt": "style"}]}}, "the prompt style"),
        ({"agent_front": {**FRONT, "sideB": {"handler": "bell"}}}, "names the handler bell"),
        (
            {
                "prompt_desk": {
                    **DESK,
                    "prompt": [{"type": "env", "property": "KEY"}],
                    "variables": [{"name": "KEY"}],
                }
            },
            "which is a secret",
        ),
    ],
)
def test_an_agent_that_lacks_what_its_sides_need_cannot_run_and_says_where(
    changed: dict[str, dict[str, Any]], words: str
) -> None:
    catalog = catalog_of(**{"agent_front": FRONT, "prompt_desk": DESK, "model_small": SMALL, **changed})
    with pytest.raises(UserError, match=r"The agent front cannot run: agents/.*, line 4: ") as refused:
        catalog.check_startable(catalog.require(AgentDefinition, "front"))
    assert words in refused.value.message


@pytest.mark.rule("D15")
def test_a_definition_that_is_not_there_is_refused_with_the_nearest_name() -> None:
    catalog = catalog_of(agent_front=FRONT, prompt_desk=DESK, model_small=SMALL)
    with pytest.raises(UserError) as refused:
        catalog.require(AgentDefinition, "frnt")
    assert (refused.value.message, refused.value.hint) == (
        "There is no agent named frnt.",
        "Did you mean front?",
    )


@pytest.mark.rule("D15")
def test_a_definition_whose_file_is_wrong_is_refused_with_the_reason() -> None:
    catalog = catalog_of(agent_front={**FRONT, "sideA": {}}, prompt_desk=DESK, model_small=SMALL)
    with pytest.raises(
        UserError, match=r"The agent front cannot be used: agents/agents/agent_front\.py, line 4: "
    ):
        catalog.require(AgentDefinition, "front")


def test_a_version_of_any_definition_is_kept_once_with_its_source_and_schema() -> None:
    catalog = catalog_of(agent_front=FRONT, prompt_desk=DESK, model_small=SMALL)
    desk = catalog.require(PromptDefinition, "desk")
    kept = catalog.to_keep(desk)
    assert kept is not None
    assert (kept.version, kept.name, kept.path) == (desk.version, "desk", "agents/prompts/prompt_desk.py")
    assert (kept.source, kept.schema) == ("the source of prompt_desk", "{}")
    assert catalog.to_keep(desk) is None
    front = catalog.to_keep(catalog.require(AgentDefinition, "front"))
    assert front is not None
    assert front.version != kept.version
