"""A process that opens a window and ends right after its first paint: `bare`, or Workbench's own on a PROJECT."""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget


class FirstPaint(QObject):
    """Ends the process once a window has been painted."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 -- Qt's own name
        if event.type() is QEvent.Type.Paint and isinstance(watched, QWidget) and watched.isWindow():
            QTimer.singleShot(0, lambda: os._exit(0))
        return False


def watch(app: QApplication) -> QApplication:
    app.installEventFilter(FirstPaint(app))
    return app


def bare() -> None:
    app = watch(QApplication(["bare"]))
    window = QWidget()
    window.resize(1440, 900)
    window.show()
    app.exec()


def workbench(project: str) -> None:
    from workbench import __main__
    from workbench.gui import app

    make = app.make_application
    app.make_application = lambda: watch(make())
    sys.argv = ["workbench", project]
    __main__.main()


if __name__ == "__main__":
    bare() if sys.argv[1:] == ["bare"] else workbench(sys.argv[1])
    sys.exit("No window was painted.")
