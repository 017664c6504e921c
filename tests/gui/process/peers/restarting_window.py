"""A window on PROJECT that asks for another size of text and a restart; the one that comes says how it is drawn."""

from __future__ import annotations

import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from workbench import __main__
from workbench.gui import app
from workbench.gui.window.window import Window


class Driver:
    """Looks a hundred times a second whether the window is there, and takes the one step."""

    def __init__(self) -> None:
        self._timer = QTimer()
        self._timer.setInterval(10)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        window = next((each for each in QApplication.topLevelWidgets() if isinstance(each, Window)), None)
        if window is None or window.workspace is None:
            return
        self._timer.stop()
        if window.text_size == 100:
            window.commands.run("smaller-text")  # for which the screen has room, however small it is
            window.notices.shown[-1].offer.do()  # pyright: ignore[reportOptionalMemberAccess]
            return
        sys.stdout.write(f"{window.devicePixelRatioF():g} {window.project.name}\n")
        sys.stdout.flush()
        window.close()


def main() -> None:
    make = app.make_application
    drivers: list[Driver] = []

    def make_and_drive() -> QApplication:
        made = make()
        drivers.append(Driver())
        return made

    app.make_application = make_and_drive
    __main__.main()


if __name__ == "__main__":
    main()
