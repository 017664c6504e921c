"""The main views as they are meant to look, small: `python -m tests.gui.kept_pictures` keeps them anew.

A picture is drawn by `packaging/screenshots.py`, made small and compared cell by cell, so that a letter more or less
does not count and a missing panel, a shifted column or a wrong colour does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QImage

KEPT = Path("tests/data/pictures")
VIEWS = ("window", "definition", "source", "calls", "call", "variables")
NAMES = tuple(f"{view}-{mode}" for view in VIEWS for mode in ("light", "dark"))
WIDTH, HEIGHT = 96, 60

STRICT, WITH_OTHER_FONTS = (0.5, 0.005), (6.0, 0.09)
"""The greatest mean difference of a cell, of 255, and the greatest share of cells that differ much."""

MUCH = 24


def draw(folder: Path) -> None:
    """Draw every view, light and dark, in a process of its own. Raises CalledProcessError."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    environment.pop("DISPLAY", None)
    command = [sys.executable, "packaging/screenshots.py", str(folder), *VIEWS]
    subprocess.run(command, check=True, env=environment, timeout=500, capture_output=True)


def small(path: Path) -> QImage:
    """A picture as it is kept."""
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    smooth = Qt.TransformationMode.SmoothTransformation
    return image.scaled(WIDTH, HEIGHT, Qt.AspectRatioMode.IgnoreAspectRatio, smooth)


def difference(one: QImage, other: QImage) -> tuple[float, float]:
    """How much the cells of two small pictures differ: the mean of 255, and the share that differs much."""
    cells = [
        max(abs(a - b) for a, b in zip(_colour(one, x, y), _colour(other, x, y), strict=True))
        for x in range(WIDTH)
        for y in range(HEIGHT)
    ]
    return sum(cells) / len(cells), sum(cell > MUCH for cell in cells) / len(cells)


def bounds() -> tuple[float, float]:
    """What two pictures may differ by: more where the fonts of the kept ones are not installed."""
    return STRICT if {"Inter", "JetBrains Mono"} <= set(QFontDatabase.families()) else WITH_OTHER_FONTS


def _colour(image: QImage, x: int, y: int) -> tuple[int, int, int]:
    colour = image.pixelColor(x, y)
    return colour.red(), colour.green(), colour.blue()


def keep() -> None:
    """Draw and keep every view as it looks now."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        draw(Path(folder))
        for name in NAMES:
            small(Path(folder) / f"{name}.png").save(str(KEPT / f"{name}.png"))


if __name__ == "__main__":
    keep()
