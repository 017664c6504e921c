"""The main views look as they were kept; a comparison that tolerates letters and not layout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from tests.gui.kept_pictures import KEPT, NAMES, bounds, difference, draw, small

Change = Callable[[QPainter], None]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_main_view_looks_as_it_was_kept_in_light_and_dark(tmp_path: Path, qapp: QApplication) -> None:
    draw(tmp_path)

    most_mean, most_share = bounds()
    differing: dict[str, tuple[float, float]] = {}
    for name in NAMES:
        mean, share = difference(small(tmp_path / f"{name}.png"), QImage(str(KEPT / f"{name}.png")))
        if mean > most_mean or share > most_share:
            differing[name] = (mean, share)
    assert differing == {}, "Look at them; where the new look is meant: python -m tests.gui.kept_pictures"


def without_a_panel(painter: QPainter) -> None:
    painter.fillRect(74, 5, 22, 42, QColor("#fdfdfc"))


def with_another_colour(painter: QPainter) -> None:
    painter.fillRect(0, 0, 96, 3, QColor("#5147c9"))


def shifted(painter: QPainter) -> None:
    painter.drawImage(1, 0, QImage(str(KEPT / "window-light.png")))


@pytest.mark.parametrize("change", [without_a_panel, with_another_colour, shifted])
def test_what_a_person_would_see_is_told_apart(change: Change, qapp: QApplication) -> None:
    kept = QImage(str(KEPT / "window-light.png"))
    changed = kept.copy()
    painter = QPainter(changed)
    change(painter)
    painter.end()

    mean, share = difference(kept, changed)

    assert mean > 0.5 or share > 0.005
