"""The help page of models names everything that there is, and its script can be played."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from workbench.base.paths import resources_dir
from workbench.domain.model_answers import ModelFailure, ModelFailureKind
from workbench.domain.model_requests import (
    AssistantTurn,
    ModelRequest,
    TextPart,
    ToolTurn,
    UserTurn,
)
from workbench.domain.models import Provider
from workbench.engine.models.assembly import Assembly
from workbench.engine.ports import ModelAccess
from workbench.models import Script, ScriptedModels, Step
from workbench.models.clients.asking import GOOGLE_OPTIONS, NATIVE_TOOLS
from workbench.models.script import When
from workbench.models.script_reading import read_script

PAGE = (resources_dir() / "help" / "models.md").read_text("utf-8")


def rows(word: str) -> bool:
    return f"| `{word}` |" in PAGE


def fields(value: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in value.model_fields.items()]


@pytest.mark.parametrize(
    "word",
    [*Provider, *ModelFailureKind, *fields(Script), *fields(Step), *fields(When)],
)
def test_everything_has_its_row(word: str) -> None:
    assert rows(str(word))


@pytest.mark.parametrize("tool", NATIVE_TOOLS)
def test_every_tool_of_a_provider_is_named(tool: str) -> None:
    assert f"`{tool}`" in PAGE


def test_every_option_of_google_is_named() -> None:
    assert [name for name in GOOGLE_OPTIONS if "_" not in name and name not in PAGE] == []


def test_what_may_be_tried_again_is_told_as_it_is() -> None:
    for kind in ModelFailureKind:
        (row,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{kind}` |"))
        assert row.endswith("| yes |") is ModelFailure(kind=kind, message="").transient


async def test_the_script_of_the_page_is_played() -> None:
    found = re.search(r"```json\n(.*?)```", PAGE, re.DOTALL)
    assert found
    models = ScriptedModels(Path())
    script = read_script(found[1])
    assert isinstance(script, Script)
    models.add("desk", script.model_copy(update={"pace": Script().pace}))
    number = UserTurn(content=(TextPart(text="P-17"),))
    result = ToolTurn(call_id="c", name="find_parcel", content=(TextPart(text='{"weight_g": 250}'),))
    thanks = UserTurn(content=(TextPart(text="Thank you!"),))
    said: list[str] = []
    called: list[str] = []
    for answers, last in enumerate((number, result, thanks)):
        turns = (number, AssistantTurn(parts=()), last) if answers else (last,)
        asked = ModelRequest(provider=Provider.SCRIPTED, model="desk", turns=turns, answers=answers)
        assembly = Assembly(asked)
        async for delta in models.stream(asked, ModelAccess()):
            assembly.add(delta)
        said.append(assembly.answer().text)
        called += [call.arguments for call in assembly.answer().calls]

    assert said == ["Let me look it up.", "It weighs 250 g.", "You are welcome."]
    assert called == ['{"number":"P-17"}']
