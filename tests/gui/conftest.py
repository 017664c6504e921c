"""One loop of the window for all its tests, and the look in force."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
import qasync
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from tests.gui.driving import Ui
from tests.gui.projects import write_project
from workbench.gui.process import garbage
from workbench.gui.style import theme
from workbench.gui.style.theme import Mode


@pytest.fixture(scope="session")
def _ui_loop(qapp: QApplication) -> Iterator[qasync.QEventLoop]:
    qapp.setQuitOnLastWindowClosed(False)
    loop = qasync.QEventLoop(qapp)
    yield loop
    loop.close()


_TESTS_BETWEEN = 100
_seen = itertools.count(1)


@pytest.fixture(autouse=True)
def _garbage() -> Iterator[None]:
    """No thread but this one frees a widget, in the tests of a window as in the program (`gui.garbage`).

    What is left is out of the reach of the tests that follow, until it is looked through here.
    """
    gc.disable()
    yield
    gc.collect(1)
    gc.freeze()
    if next(_seen) % _TESTS_BETWEEN == 0:
        garbage.let_go()  # the last window of a program is left to its end, and here there is always another
    gc.enable()


@pytest.fixture
def ui(_ui_loop: qasync.QEventLoop, qapp: QApplication) -> Iterator[Ui]:
    qapp.setStyle("Fusion")
    theme.apply(qapp, Mode.LIGHT)
    yield Ui(_ui_loop)
    # What a test leaves would be styled anew with each of the tests that follow.
    for left in qapp.topLevelWidgets():
        left.close()
        left.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    qapp.clipboard().clear()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The folder of a project to open, of one test alone."""
    return write_project(tmp_path / "desk")
