"""Every colour that carries meaning stands out from every ground it is drawn on."""

from __future__ import annotations

import pytest

from workbench.gui.style.tokens import DARK, LIGHT, Tokens

GROUNDS = ("window", "base", "field", "sel", "selq")
TEXT = ("ink", "ink2", "accent", "ok", "warn", "err", "run", "string", "number")


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """WCAG 2 contrast ratio."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", [LIGHT, DARK], ids=lambda mode: mode.name)
@pytest.mark.parametrize("ground", GROUNDS)
def test_text_reads_at_four_and_a_half_to_one_on_every_ground(mode: Tokens, ground: str) -> None:
    weak = {role: contrast(getattr(mode, role), getattr(mode, ground)) for role in TEXT}
    assert all(ratio >= 4.5 for ratio in weak.values()), weak


@pytest.mark.parametrize("mode", [LIGHT, DARK], ids=lambda mode: mode.name)
def test_outlines_of_controls_are_seen_where_controls_stand(mode: Tokens) -> None:
    assert all(contrast(mode.edge, getattr(mode, ground)) >= 3.0 for ground in ("window", "base", "field"))


@pytest.mark.parametrize("mode", [LIGHT, DARK], ids=lambda mode: mode.name)
def test_words_on_strips_and_fills_can_be_read(mode: Tokens) -> None:
    pairs = [
        (mode.onfill, mode.fill),
        (mode.err, mode.errbg),
        (mode.accent, mode.errbg),
        (mode.ink, mode.warnbg),
        (mode.warn, mode.warnbg),
        (mode.ink2, mode.hover),
        (mode.base, mode.bar),
    ]
    assert all(contrast(*pair) >= 4.5 for pair in pairs), [round(contrast(*pair), 1) for pair in pairs]
