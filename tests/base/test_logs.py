"""The program's log: masked, bounded, written while it is wanted."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from workbench.base.logs import logging_to
from workbench.base.masker import Masker


@pytest.mark.rule("V6")
def test_no_secret_reaches_the_log_in_a_message_or_in_a_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = logging.getLogger("workbench.tests.logs")
    with logging_to(tmp_path / "logs", mask=Masker([("TOKEN", "0a1b2c3d4e5f")]).mask) as path:
        log.info("sent %s", "0a1b2c3d4e5f")
        log.debug("not wanted")
        try:
            raise ValueError("0a1b2c3d4e5f is refused")
        except ValueError:
            log.exception("failed")
    log.info("after the end")
    written = path.read_text()
    assert "INFO workbench.tests.logs: sent [[secret:TOKEN]]\n" in written
    assert "ValueError: [[secret:TOKEN]] is refused" in written
    assert "not wanted" not in written
    assert "after the end" not in written
    assert "0a1b2c3d4e5f" not in written


@pytest.mark.rule("V6")
def test_two_projects_share_the_log_and_neither_shows_what_the_other_hides(tmp_path: Path) -> None:
    log = logging.getLogger("workbench.tests.logs")
    with logging_to(tmp_path, mask=Masker([("ONE", "first-secret")]).mask) as path:
        with logging_to(tmp_path, mask=Masker([("TWO", "other-secret")]).mask):
            log.info("first-secret and other-secret")
            log.info("other-secret, just before its project closes")
        log.info("one project is left")
    assert [line.split(": ", 1)[1] for line in path.read_text().splitlines()] == [
        "[[secret:ONE]] and [[secret:TWO]]",
        "[[secret:TWO]], just before its project closes",
        "one project is left",
    ]


def test_the_log_of_many_lines_stays_small(tmp_path: Path) -> None:
    log = logging.getLogger("workbench.tests.logs")
    with logging_to(tmp_path, mask=str):
        for _ in range(100):
            log.info("x" * 100_000)
    sizes = [file.stat().st_size for file in tmp_path.iterdir()]
    assert len(sizes) == 4
    assert max(sizes) <= 1_000_000
