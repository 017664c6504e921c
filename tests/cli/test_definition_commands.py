"""Definitions of every kind on the command line: made from templates, listed, checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli

KINDS = {
    "prompt": "greeter",
    "agent": "front_desk",
    "model": "fast-writer",
    "hook": "mask_names",
    "handler": "counter",
    "effect": "mail/digest",
}


@pytest.mark.rule("H5", "D1")
@pytest.mark.parametrize(("options", "suffix"), [((), ".py"), (("--typescript",), ".ts")])
def test_a_new_definition_of_every_kind_has_nothing_wrong_and_is_listed(
    cli: Cli, tmp_path: Path, options: tuple[str, ...], suffix: str
) -> None:
    here = tmp_path / "fresh"
    here.mkdir()

    made = {kind: cli("new", kind, name, *options, cwd=here) for kind, name in KINDS.items()}
    checked = cli("check", "--json", cwd=here)
    listed = cli("definitions", "--json", cwd=here).json

    assert {kind: ended.code for kind, ended in made.items()} == dict.fromkeys(KINDS, 0)
    assert "was no project yet" in made["prompt"].err
    assert "an agent or a prompt lists it" in made["hook"].err
    paths = [Path(line) for ended in made.values() for line in ended.out.splitlines()]
    assert {(path.is_file(), path.suffix) for path in paths} == {(True, suffix)}
    assert checked.json == {"ok": True, "diagnostics": []}
    names = {(row["kind"], row["name"]) for row in listed}
    assert names == {*KINDS.items(), ("model", "offline"), ("prompt", "front_desk")}
    assert list(listed[0]) == [
        "name", "kind", "dialect", "path", "description", "effect", "diagnostics", "callable",
    ]  # fmt: skip
    assert all(row["callable"] and row["effect"] is None for row in listed)
    assert cli("tool", "list", "--json", cwd=here).json == []


def test_a_new_agent_brings_what_it_cannot_do_without_and_leaves_what_is_there(
    cli: Cli, tmp_path: Path
) -> None:
    here = tmp_path / "fresh"
    here.mkdir()

    made = cli("new", "agent", "front", cwd=here)
    first = made.out.splitlines()
    (here / "agents/models/offline.py").write_text("# mine\n")
    second = cli("new", "agent", "back", "--typescript", cwd=here).out.splitlines()

    assert [Path(path).relative_to(here).as_posix() for path in first] == [
        "agents/agents/front.py",
        "agents/prompts/front.py",
        "agents/models/offline.py",
    ]
    assert made.err.endswith("workbench thread start front --message Hello\n")
    assert [Path(path).name for path in second] == ["back.ts", "back.ts"]
    assert (here / "agents/models/offline.py").read_text() == "# mine\n"


@pytest.mark.parametrize(
    ("kind", "name"), [("agent", "Front"), ("hook", "a-b"), ("effect", "mail//digest"), ("prompt", "../x")]
)
def test_a_new_definition_needs_a_fitting_name(cli: Cli, sample: Path, kind: str, name: str) -> None:
    before = {*sample.rglob("*")}

    ended = cli("new", kind, name)

    assert (ended.code, {*sample.rglob("*")}) == (2, before)
    assert "is not a name for a new" in ended.err


def test_a_new_definition_needs_a_free_name(cli: Cli) -> None:
    assert cli("new", "hook", "mask").code == 0

    again = cli("new", "hook", "mask", "--typescript")

    assert again.code == 2
    assert "agents/hooks/mask.py is there already" in again.err


@pytest.mark.rule("H5", "D15")
def test_what_is_wrong_between_definitions_fails_a_check_and_shows_in_the_list(
    cli: Cli, tmp_path: Path
) -> None:
    here = tmp_path / "fresh"
    here.mkdir()
    cli("new", "agent", "front", cwd=here)
    prompt = here / "agents/prompts/front.py"
    prompt.write_text(prompt.read_text().replace('"offline"', '"ofline"'))

    checked = cli("check", cwd=here)
    table = cli("definitions", "--kind", "prompt", cwd=here)

    assert checked.code == 1
    line = prompt.read_text().splitlines().index('    model="ofline",') + 1
    assert f"agents/prompts/front.py:{line}: error: model of the prompt front" in checked.out
    assert "Did you mean offline?" in checked.out
    assert "3 definitions, 1 error, 0 remarks" in checked.out
    assert table.out.split()[:3] == ["prompt", "front", "no"]
    assert "which is not there" in table.out
    assert not (here / ".workbench").exists()
