"""A process with the window open on PROJECT that runs the tool `slow` and says so: a test sends it a signal then."""

from __future__ import annotations

import sys

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from workbench import __main__
from workbench.domain.calls import CallState
from workbench.gui import app
from workbench.gui.window.window import Window


class Driver:
    """Looks a hundred times a second at how far the window is, and takes the next step."""

    def __init__(self) -> None:
        self._opening = False
        self._looks = 0
        self._timer = QTimer()
        self._timer.setInterval(10)
        self._timer.timeout.connect(self._look)
        self._timer.start()

    def _look(self) -> None:
        window = next((each for each in QApplication.topLevelWidgets() if isinstance(each, Window)), None)
        if window is None or window.workspace is None or window.session is None:
            return
        space, listing = window.workspace, window.session.listing("slow")
        if not self._opening and listing is not None and listing.callable:
            self._opening = True
            window.session.do(space.opener.open_tool(listing))
        elif space.tool is not None and space.tool.name == "slow" and not list(space.live.model.calls()):
            # Run is refused while the tool is being loaded again: asked again until a call is there.
            self._looks += 1
            if self._looks % 100 == 1:
                window.verbs.run()
        elif any(row.state is CallState.RUNNING for row in space.live.model.calls()):
            self._timer.stop()
            sys.stdout.write("running\n")
            sys.stdout.flush()


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
