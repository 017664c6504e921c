"""The look as data: the colours of both modes with what they are for, and the sizes everything is measured in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tokens:
    """The colours of one mode, as `#RRGGBB`. Grounds first, then what is drawn on them."""

    name: str
    window: str
    """Ground of toolbar, navigator, inspector, live panel and inactive tabs."""
    base: str
    """Ground of a document and its tab."""
    field: str
    """Inside of an editable control."""
    hover: str
    """Row under the pointer, inside of a null field."""
    sel: str
    """Selection in the view that has the focus, chosen segment."""
    selq: str
    """Selection in every other view."""
    hair: str
    """Hairlines: decorative, never the only edge of a control."""
    fill: str
    """Primary button, switch that is on."""
    onfill: str
    errbg: str
    warnbg: str
    ink: str
    ink2: str
    """Secondary text, ghosts, icons at rest."""
    ink3: str
    """Disabled only."""
    accent: str
    """What can be acted on: links, focus ring, selection bar. Never a state."""
    ok: str
    warn: str
    err: str
    run: str
    string: str
    number: str
    edge: str
    """Outline of controls."""
    bar: str
    """A model's work in a timeline; its label is in `base`."""


LIGHT = Tokens(
    name="light",
    window="#F4F4F2",
    base="#FCFCFB",
    field="#FFFFFF",
    hover="#EBEBE8",
    sel="#E6E4F8",
    selq="#EAEAE6",
    hair="#E2E2DE",
    fill="#5B4FCF",
    onfill="#FFFFFF",
    errbg="#FBEDEB",
    warnbg="#FAF3E3",
    ink="#1D1E21",
    ink2="#5E6067",
    ink3="#9B9DA3",
    accent="#5347C4",
    ok="#1E7443",
    warn="#865600",
    err="#B4271F",
    run="#1A64AD",
    string="#7A4A17",
    number="#1F5F70",
    edge="#85878E",
    bar="#696B73",
)

DARK = Tokens(
    name="dark",
    window="#232428",
    base="#1C1D20",
    field="#26282C",
    hover="#2B2D31",
    sel="#37355C",
    selq="#303237",
    hair="#34363B",
    fill="#6258D3",
    onfill="#FFFFFF",
    errbg="#3A2626",
    warnbg="#352E20",
    ink="#E3E4E7",
    ink2="#A1A4AC",
    ink3="#696C74",
    accent="#ABA4FF",
    ok="#6CC48C",
    warn="#DDA94F",
    err="#F48B84",
    run="#74B4F2",
    string="#D9B384",
    number="#86C3D3",
    edge="#7E8189",
    bar="#8B8E96",
)

ROW = 24
"""Height of every row, field and button, in logical pixels (as all sizes here)."""
TOOLBAR = 40
BAND = 32
"""Navigator filter, document tabs, inspector title: one hairline under them across the window."""
HEADER = 36
SECTION = 28
PANEL_GUTTER = 12
DOCUMENT_GUTTER = 24
COLUMN_GAP = 12
NESTING = 16
NAVIGATOR_WIDTH = 248
INSPECTOR_WIDTH = 336
FIELD_RADIUS = 3
BUTTON_RADIUS = 4

BODY = 13
DATA = 12
SMALL = 11
