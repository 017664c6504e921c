"""The tests themselves are loud: nothing reaches the network, and no warning of any kind goes by unseen."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from tests.architecture.tree import TESTS
from tests.conftest import RealNetworkError

pytest_plugins = ["pytester"]


def test_a_connection_to_another_machine_is_refused() -> None:
    with pytest.raises(RealNetworkError):
        socket.create_connection(("192.0.2.1", 80), timeout=1)


def test_the_name_of_another_machine_is_not_looked_up() -> None:
    with pytest.raises(RealNetworkError):
        socket.getaddrinfo("tools.example", 443)


async def test_asyncio_reaches_this_machine_and_no_other() -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        await writer.wait_closed()

    with pytest.raises(RealNetworkError):
        await asyncio.open_connection("192.0.2.1", 80)
    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()


UNEXPECTED = """
import logging, threading, warnings
from PySide6.QtCore import qWarning

def test_that_is_quiet():
    pass

def test_that_looks_at_its_log(caplog):
    logging.getLogger("any").warning("something is off")
    assert caplog.messages == ["something is off"]

def test_that_logs():
    logging.getLogger("any").warning("something is off")

def test_that_warns():
    warnings.warn("something is off")

def test_that_makes_qt_complain():
    qWarning("something is off")

def test_whose_thread_dies():
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
"""


def test_what_goes_wrong_on_the_side_fails_its_test(pytester: pytest.Pytester) -> None:
    pytester.makeconftest((TESTS / "conftest.py").read_text("utf-8"))
    Path(pytester.path, "pyproject.toml").write_text(
        (TESTS.parent / "pyproject.toml").read_text("utf-8"), "utf-8"
    )
    Path(pytester.path, "tests").mkdir()
    Path(pytester.path, "tests", "test_it.py").write_text(UNEXPECTED, "utf-8")

    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider")

    outcome.assert_outcomes(passed=3, failed=3, errors=1)  # the log is looked at when its test has passed
