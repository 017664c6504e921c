"""Every secret value that was ever in hand: the set only grows, so what was replaced or removed stays hidden (V6)."""

from __future__ import annotations

from workbench.base.masker import Masker


class KnownSecrets:
    """Values by the name they were known under, and the masker that hides them all."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], None] = {}
        self._masker = Masker(())

    def __repr__(self) -> str:
        return f"<KnownSecrets: {len(self._pairs)}>"

    @property
    def masker(self) -> Masker:
        return self._masker

    def add(self, name: str, value: str) -> None:
        """Hide a value from now on."""
        if (name, value) not in self._pairs:
            self._pairs[name, value] = None
            self._masker = Masker(self._pairs)
