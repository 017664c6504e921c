"""A setting is changed in workbench.toml, and all else in it stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.project.settings import Retention
from workbench.project.settings_file import read_settings
from workbench.project.settings_writing import with_setting, write_setting


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '[store]\nretention = "90 days"\n'),
        ('name = "desk"', 'name = "desk"\n\n[store]\nretention = "90 days"\n'),
        (
            '[store]\n# how long\nretention = "off"  # for now\n[server]\nport = 1\n',
            '[store]\n# how long\nretention = "90 days"  # for now\n[server]\nport = 1\n',
        ),
        ("[store]\n\n[server]\nport = 1\n", '[store]\nretention = "90 days"\n\n[server]\nport = 1\n'),
        ("store.retention = 'off'\n", 'store.retention = "90 days"\n'),
        ('store = { retention = "off" }\n', 'store = { retention = "90 days" }\n'),
        ("[store]\nretention = 7\n", '[store]\nretention = "90 days"\n'),
        ('[store]\r\nretention = "off"\r\n', '[store]\r\nretention = "90 days"\r\n'),
        ("[store] # keep\n", '[store] # keep\nretention = "90 days"\n'),
    ],
)
def test_one_setting_is_another_and_nothing_else_is(before: str, after: str) -> None:
    assert with_setting(before, "store", "retention", "90 days") == after


@pytest.mark.parametrize(
    "text",
    [
        "[store\n",
        "store = 3\n",
        "store = {}\n",
        '[store]\nretention = """\n2 GB"""\n',
        "[[store]]\nretention = 1\n",
    ],
)
def test_what_cannot_be_changed_safely_is_left_with_words_on_what_to_write(text: str) -> None:
    with pytest.raises(UserError) as told:
        with_setting(text, "store", "retention", "90 days")

    assert told.value.hint == 'Write retention = "90 days" under [store] yourself.'


@pytest.mark.rule("H6")
def test_what_was_written_is_what_is_read(tmp_path: Path) -> None:
    for bound in (
        Retention(days=90),
        Retention(size=2_000_000_000),
        Retention(size=1_500_000_000),
        Retention(),
    ):
        write_setting(tmp_path, "store", "retention", bound.text)
        assert read_settings(tmp_path).settings.store.retention == bound
        assert read_settings(tmp_path).diagnostics == ()


def test_a_file_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real.toml"
    real.write_text('name = "desk"\n')
    real.chmod(0o600)
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "workbench.toml").symlink_to(real)

    write_setting(tmp_path / "p", "store", "retention", "1 day")

    assert (tmp_path / "p" / "workbench.toml").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert real.read_text() == 'name = "desk"\n\n[store]\nretention = "1 day"\n'


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    gone = tmp_path / "gone"

    with pytest.raises(UserError, match=r"workbench\.toml cannot be written"):
        write_setting(gone, "store", "retention", "1 day")
