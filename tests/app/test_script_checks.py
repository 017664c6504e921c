"""The scripts of models are looked at with the definitions: one that is not there or wrong is a finding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.agent_files import HEAD, write_files
from tests.app.projects import OpenProject
from workbench.app import Workbench
from workbench.domain.changes import Changes


def model(name: str, script: str) -> dict[str, str]:
    text = f'model = define_model(\n    name="{name}", provider="scripted",\n    model="{script}",\n)\n'
    return {f"agents/models/{name}.py": HEAD + text}


def told(wb: Workbench) -> list[tuple[str, int | None, str]]:
    return sorted((one.path, one.line, one.code) for one in wb.diagnostics() if one.code.endswith("script"))


@pytest.mark.rule("D15")
async def test_a_script_is_checked_until_it_is_right(project: Path, opened: OpenProject) -> None:
    wrong = {"scripts/wrong.json": '{\n"steps": [\n{"txt": "x"}]}'}
    models = (
        model("one", "scripts/wrong.json"),
        model("two", "scripts/wrong.json"),
        model("built", "default"),
    )
    write_files(project, model("lost", "scripts/lost.json"), *models, wrong)

    async with opened(project) as wb:
        first = told(wb)
        (lost,) = (one for one in wb.listings() if one.name == "lost")
        assert [one.code for one in lost.diagnostics] == ["unknown-script"]
        heard: list[Changes] = []
        wb.subscribe(on_changes=heard.append)
        right = {"scripts/wrong.json": json.dumps({"steps": [{"text": "x"}]}), "scripts/lost.json": "{}"}
        write_files(project, right)
        await wb.settled()

        assert first == [
            ("agents/models/lost.py", 4, "unknown-script"),
            ("scripts/wrong.json", 3, "broken-script"),
        ]
        assert told(wb) == []
        assert any(change.diagnostics for change in heard)
