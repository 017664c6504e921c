"""`workbench var`: secrets come by pipe, are never told again, and are found nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli

pytestmark = pytest.mark.of_sample("register_parcel", "sign_tracking_link")

SECRET = "correct-horse-battery"
LINK = ["tool", "call", "sign_tracking_link", "--input", '{"code": "PD-0001"}']


def files_with(folder: Path, text: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


@pytest.mark.rule("H5")
def test_variables_are_listed_in_the_published_shape(cli: Cli) -> None:
    assert cli("var", "list", "--json").json == [
        {
            "name": "LINK_KEY", "type": "secret", "scope": None, "set": False,
            "usedBy": ["sign_tracking_link"],
        },
        {
            "name": "DESK_PREFIX", "type": "text", "scope": None, "set": False,
            "usedBy": ["register_parcel"],
        },
        {
            "name": "TRACKING_SITE", "type": "text", "scope": None, "set": False,
            "usedBy": ["sign_tracking_link"],
        },
    ]  # fmt: skip


@pytest.mark.rule("V1", "V3")
def test_a_text_is_set_used_and_removed(cli: Cli) -> None:
    key = {"WORKBENCH_SECRET_LINK_KEY": SECRET}

    assert cli("var", "set", "TRACKING_SITE", "https://parcels.example").code == 0
    assert cli(*LINK, **key).json["result"].startswith("https://parcels.example/PD-0001?sig=")
    assert "https://parcels.example" in cli("var", "list").out

    assert cli("var", "unset", "TRACKING_SITE").code == 0
    assert cli(*LINK, **key).json["result"].startswith("https://track.example/")
    assert cli("var", "unset", "TRACKING_SITE").code == 3


@pytest.mark.rule("V1")
def test_a_value_that_another_scope_hides_is_told_when_it_is_set_and_in_the_list(
    cli: Cli, tmp_path: Path
) -> None:
    own = {"XDG_DATA_HOME": str(tmp_path / "person")}
    cli("var", "set", "TRACKING_SITE", "https://all.example", "--scope", "account", **own)
    set_ = cli("var", "set", "TRACKING_SITE", "https://one.example", **own)
    imported = cli("var", "import", "-", stdin="TRACKING_SITE=\n", **own)

    for ended in (set_, imported):
        assert "var unset TRACKING_SITE --scope account" in ended.err
    assert '"https://all.example" (account, over that of instance)' in cli("var", "list", **own).out
    assert "(text, account, empty)" in cli("var", "set", "TRACKING_SITE", "", "--scope", "account", **own).err


@pytest.mark.rule("V4")
@pytest.mark.parametrize("flags", [[], ["--secret"]])
def test_a_secret_is_not_taken_from_the_arguments(cli: Cli, sample: Path, flags: list[str]) -> None:
    ended = cli("var", "set", "LINK_KEY", SECRET, *flags)

    assert ended.code == 2
    assert SECRET not in ended.out + ended.err
    assert "pipe" in ended.err
    assert not files_with(sample, SECRET)


@pytest.mark.slow
@pytest.mark.rule("V4", "V6")
def test_a_piped_secret_goes_to_the_keyring_and_shows_nowhere(
    command: Cli, sample: Path, tmp_path: Path, keyring: dict[str, str]
) -> None:
    outputs = [
        command("var", "set", "LINK_KEY", stdin=f"{SECRET}\n", **keyring),
        command(*LINK, **keyring),
        command("call", "show", "last", **keyring),
        command("call", "show", "last", "--json", **keyring),
        command("var", "list", **keyring),
        command("var", "list", "--json", **keyring),
        command(*LINK, "--verbose", WORKBENCH_DEBUG="1", **keyring),
    ]

    assert [ended.code for ended in outputs] == [0] * len(outputs)
    assert "signing with" in outputs[2].out, "the tool printed it, and the log shows a mark instead"
    assert not [ended for ended in outputs if SECRET in ended.out + ended.err]
    assert not files_with(sample, SECRET)
    assert SECRET in (tmp_path / "secrets.json").read_text()


@pytest.mark.rule("V4")
def test_without_a_keyring_a_secret_is_refused_with_what_to_do(cli: Cli, sample: Path) -> None:
    ended = cli("var", "set", "LINK_KEY", stdin=SECRET)

    assert ended.code == 2
    assert "WORKBENCH_SECRET_LINK_KEY" in ended.err
    assert SECRET not in ended.out + ended.err
    assert not files_with(sample, SECRET)


@pytest.mark.rule("C5", "V4")
def test_a_missing_secret_says_where_to_set_it_and_the_environment_can_give_it(cli: Cli) -> None:
    missing = cli(*LINK)
    given = cli(*LINK, WORKBENCH_SECRET_LINK_KEY=SECRET)

    assert missing.code == 1
    assert "LINK_KEY" in missing.json["result"]
    assert "workbench var set LINK_KEY" in missing.json["result"] + missing.err
    assert "Set WORKBENCH_SECRET_LINK_KEY in the environment" in missing.err, "the tests have no keyring"
    assert given.code == 0
    assert SECRET not in given.out + given.err


def test_an_env_file_is_imported_by_the_types_that_tools_declare(
    command: Cli, sample: Path, keyring: dict[str, str]
) -> None:
    text = f"# the desk\nexport DESK_PREFIX=AB\nLINK_KEY='{SECRET}'\nPIN=1234\n"

    ended = command("var", "import", "-", stdin=text, **keyring)

    assert ended.code == 0, ended.err
    assert "PIN is too short to be hidden" in ended.err
    kept = {row["name"]: row for row in command("var", "list", "--json", **keyring).json}
    assert (kept["DESK_PREFIX"]["type"], kept["DESK_PREFIX"]["set"]) == ("text", True)
    assert (kept["LINK_KEY"]["type"], kept["LINK_KEY"]["set"]) == ("secret", True)
    assert not files_with(sample, SECRET)


def test_an_env_file_that_cannot_be_read_imports_nothing_and_repeats_nothing(cli: Cli) -> None:
    bad_line = cli("var", "import", "-", stdin=f"DESK_PREFIX=AB\n={SECRET}\n")
    bad_bytes = cli("var", "import", "-", stdin=b"DESK_PREFIX=\xff\n")

    assert (bad_line.code, bad_bytes.code) == (2, 2)
    assert SECRET not in bad_line.err
    assert not any(row["set"] for row in cli("var", "list", "--json").json)
