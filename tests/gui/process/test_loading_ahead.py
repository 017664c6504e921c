"""What a document needs is loaded piece by piece before one is opened."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject

from tests.gui.driving import Ui, until
from workbench.gui.process.loading_ahead import OF_THREADS, LoadingAhead


def test_modules_are_loaded_in_their_order_while_the_window_goes_on(
    ui: Ui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ahead_one", "ahead_two"):
        (tmp_path / f"{name}.py").write_text("import sys\nfirst = 'ahead_two' not in sys.modules\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    async def story() -> None:
        parent = QObject()
        LoadingAhead(parent, ("ahead_one", "ahead_two"))
        assert "ahead_one" not in sys.modules
        await until(lambda: "ahead_two" in sys.modules)
        assert sys.modules["ahead_one"].first
        await until(lambda: not parent.children())

    ui.run(story())


def test_those_of_threads_are_all_there() -> None:
    for name in OF_THREADS:
        assert __import__(name, fromlist=["_"])
