"""When the window is looked through for garbage: where nobody waits, rather than in the middle of work."""

from __future__ import annotations

import gc


def keep() -> None:
    """What is there by now stays: looking through it again and again would hold up the window."""
    gc.collect()
    gc.freeze()


def let_go() -> None:
    """A window has gone: free what only held itself together, and keep the rest."""
    gc.unfreeze()
    keep()
