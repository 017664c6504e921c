"""What a result is compared with, and which of its files are handed to other programs."""

from __future__ import annotations

import pytest

from workbench.app.results.opening import file_to_open
from workbench.base.errors import UserError


@pytest.mark.parametrize("name", ["../../chart.png", "C:\\Users\\ada\\chart.png", "chart.png"])
def test_a_file_is_put_under_its_own_name_into_a_place_of_its_own(name: str) -> None:
    first, second = file_to_open(name, b"one"), file_to_open(name, b"two")
    assert first.name == second.name == "chart.png"
    assert (first.read_bytes(), second.read_bytes()) == (b"one", b"two")
    assert not first.stat().st_mode & 0o111


@pytest.mark.parametrize(
    "name", ["run.sh", "setup.EXE", "page.html", "x.desktop", "noending", "..", "a.png.bat"]
)
def test_what_could_run_is_not_opened(name: str) -> None:
    with pytest.raises(UserError, match="could be a program"):
        file_to_open(name, b"data")
