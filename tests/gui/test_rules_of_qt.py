"""What Qt punishes is not done: nested loops, a broken build of it, work in the wrong thread."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import workbench.gui
from workbench.base.errors import UserError
from workbench.gui.app import refuse_broken_qt

GUI = Path(workbench.gui.__file__).parent
STATIC_DIALOGS = {"QMessageBox", "QInputDialog", "QFileDialog", "FileDialog", "QColorDialog", "QFontDialog"}
NESTED = {
    *("exec", "exec_", "processEvents", "setOverrideCursor", "waitForFinished", "waitForReadyRead"),
    *(
        "getOpenFileName",
        "getOpenFileNames",
        "getSaveFileName",
        "getExistingDirectory",
        "getColor",
        "getFont",
    ),
    *("getText", "getMultiLineText", "getItem", "getInt", "getDouble"),
    *("run_until_complete", "run_forever"),
}
MADE = {"QEventLoop", "QMessageBox", "QInputDialog"}
"""What is not even made: a loop of its own, and dialogs that are used by such loops."""


def _calls(source: str) -> list[tuple[str, str, int]]:
    """Owner, name and line of everything that a module calls; what is made has no owner."""
    found: list[tuple[str, str, int]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            found.append((owner.id if isinstance(owner, ast.Name) else "", node.func.attr, node.lineno))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.append(("", node.func.id, node.lineno))
    return found


def _nested(source: str) -> list[str]:
    return [
        f"{line} {owner}.{name}"
        for owner, name, line in _calls(source)
        if name in NESTED
        or owner in STATIC_DIALOGS
        or name in MADE
        or (owner == "time" and name == "sleep")
        or (owner == "asyncio" and name == "run")
    ]


def test_no_loop_runs_inside_another_which_would_lose_tasks() -> None:
    """`app.py` starts the one loop that there is."""
    nested = {
        path.name: found
        for path in GUI.rglob("*.py")
        if path.name != "app.py" and (found := _nested(path.read_text(encoding="utf-8")))
    }
    assert nested == {}
    assert sorted(each.split()[1] for each in _nested((GUI / "app.py").read_text("utf-8"))) == [
        "loop.run_until_complete",
        "qasync.QEventLoop",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "dialog.exec()",
        "self.menu.exec(place)",
        "QMessageBox.question(self, 'a', 'b')",
        "QMessageBox(self)",
        "QFileDialog.getOpenFileName(self)",
        "FileDialog.getSaveFileName(self)",
        "make().getExistingDirectory(self)",
        "QEventLoop().exec()",
        "loop = QEventLoop()",
        "QtCore.QEventLoop(self)",
        "QApplication.processEvents()",
        "asyncio.get_event_loop().run_until_complete(work)",
        "asyncio.run(work())",
        "time.sleep(1)",
        "process.waitForFinished()",
    ],
)
def test_each_way_to_run_a_loop_in_a_loop_is_seen(source: str) -> None:
    assert _nested(source)


def test_only_the_bridge_the_lane_of_results_and_the_server_start_threads() -> None:
    """The bridge has the engine's thread; the lane reads, counts and writes what would hold up the window; the server
    is imported beside the engine's loop."""
    crossing = {
        "Thread",
        "ThreadPoolExecutor",
        "QThread",
        "QThreadPool",
        "to_thread",
        "run_in_executor",
        "run_coroutine_threadsafe",
        "call_soon_threadsafe",
    }
    found = {
        path.name
        for path in GUI.rglob("*.py")
        for _, name, _ in _calls(path.read_text("utf-8"))
        if name in crossing
    }
    assert found == {"bridge.py", "lane.py", "serving.py"}


@pytest.mark.parametrize(
    ("qt", "python", "refused"),
    [
        ("6.12.0", (3, 11), True),
        ("6.12.0", (3, 12), False),
        ("6.11.3", (3, 11), False),
        ("6.12.1", (3, 11), False),
    ],
)
def test_the_qt_that_loses_count_of_none_is_refused_in_words(
    qt: str, python: tuple[int, int], *, refused: bool
) -> None:
    if refused:
        with pytest.raises(UserError, match=r"6\.12\.0 crashes") as raised:
            refuse_broken_qt(qt, python)
        assert "pip install" in raised.value.hint
    else:
        refuse_broken_qt(qt, python)


CANARY = """
import sys
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QLabel

class Sender(QObject):
    sent = Signal(int)

app = QApplication([])
sender, label = Sender(), QLabel()
before = sys.getrefcount(None), sys.getrefcount(True)
for number in range(20_000):
    sender.sent.emit(number)
    label.setText("x")
after = sys.getrefcount(None), sys.getrefcount(True)
drift = max(abs(one - other) for one, other in zip(before, after))
sys.exit(0 if sys.version_info >= (3, 12) or drift < 100 else f"drift of {drift}")
"""


def test_this_qt_keeps_count_of_none_and_true_over_twenty_thousand_calls() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CANARY], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
