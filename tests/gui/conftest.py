"""One loop of the window for all its tests, and the look in force."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import qasync
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from tests.gui.driving import Ui
from workbench.gui import theme
from workbench.gui.theme import Mode


@pytest.fixture(scope="session")
def _ui_loop(qapp: QApplication) -> Iterator[qasync.QEventLoop]:
    qapp.setQuitOnLastWindowClosed(False)
    loop = qasync.QEventLoop(qapp)
    yield loop
    loop.close()


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
