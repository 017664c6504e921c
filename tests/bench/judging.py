"""Promises are held while the machine is calm; while it does other things, what was measured is only shown."""

from __future__ import annotations

from time import perf_counter, thread_time

from tests.bench.conftest import Table


def is_calm() -> bool:
    """Whether this thread gets the processor whenever it wants it, as on a machine of one's own."""
    began, used = perf_counter(), thread_time()
    while thread_time() - used < 0.05:
        pass
    return perf_counter() - began < 0.065


class Judge:
    """Holds promises while the machine is calm, and only shows what was measured while it does other things."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._was_calm = is_calm()

    def seconds(self, what: str, seconds: float, *, promised: float) -> None:
        calm, self._was_calm = self._was_calm, is_calm()
        if calm and self._was_calm:
            self._table.seconds(what, seconds, promised=promised)
        else:
            wanted = f"≤ {promised * 1_000:,.0f} ms; not judged, the machine is busy"
            self._table.show(what, f"{seconds * 1_000:,.0f} ms", wanted=wanted)
