"""What commands leave behind: nothing when they only look, a log of what went on when they work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli

pytestmark = pytest.mark.of_sample("find_parcel", "pack_boxes")


def person(folder: Path) -> dict[str, str]:
    """The environment of somebody whose folders are empty; what can be made again lies where it always does."""
    return {name: str(folder / name) for name in ("XDG_DATA_HOME", "XDG_STATE_HOME")}


@pytest.mark.parametrize("has_history", [False, True])
def test_doctor_makes_nothing(cli: Cli, sample: Path, tmp_path: Path, has_history: bool) -> None:
    if has_history:
        cli(
            "tool",
            "call",
            "pack_boxes",
            "--input",
            '{"items": 3, "per_box": 2}',
            **person(tmp_path / "other"),
        )
    assert (sample / ".workbench").exists() is has_history
    before = sorted(sample.rglob("*"))

    ended = cli("doctor", "--json", **person(tmp_path / "person"))

    assert {one["name"] for one in ended.json["findings"]} >= {"project", "keyring", "history"}
    assert sorted(sample.rglob("*")) == before
    assert not (tmp_path / "person").exists()


def test_a_look_makes_nothing_in_the_folders_of_the_person(cli: Cli, tmp_path: Path) -> None:
    for command in (["check"], ["tool", "list"], ["tool", "show", "find_parcel"], ["var", "list"]):
        assert cli(*command, **person(tmp_path / "person")).code == 0
    assert not (tmp_path / "person").exists()


def test_a_call_keeps_a_log_in_the_state_folder(cli: Cli, tmp_path: Path) -> None:
    cli("tool", "call", "pack_boxes", **person(tmp_path / "person"))

    assert list((tmp_path / "person" / "XDG_STATE_HOME").rglob("workbench.log"))
