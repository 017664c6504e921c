"""How long a window's thread is held up, in a process of its own, beside a bare window in the same minute."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tests.bench.conftest import JUDGED, Table
from workbench.base.paths import resources_dir

PEERS = Path(__file__).parent / "peers"
ROOT = resources_dir().parent
SECONDS = 15 if JUDGED else 2
CALM_MS = 20.0
"""Where a bare window stalls for longer, or more programs run than there are processors, nobody can say how long
ours would stall by itself."""


async def output_of(peer: str, *arguments: str, home: Path) -> dict[str, object]:
    """What a peer printed last, as JSON."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(PEERS / f"{peer}.py"),
        *arguments,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(home)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    async with asyncio.timeout(120):
        output, _ = await process.communicate()
    assert process.returncode == 0
    return json.loads(output.splitlines()[-1])


@dataclass(frozen=True, slots=True)
class Gaps:
    """Times between two heartbeats in milliseconds, the shortest first."""

    sorted: list[float]
    told: int

    def at(self, part: float) -> float:
        return self.sorted[min(len(self.sorted) - 1, int(len(self.sorted) * part))]

    def __str__(self) -> str:
        p50, p99, p999, most = (self.at(part) for part in (0.5, 0.99, 0.999, 1))
        return f"{p50:.0f} / {p99:.0f} / {p999:.0f} / {most:.0f} ms"


async def gaps_of(peer: str, *arguments: str, home: Path) -> Gaps:
    found = await output_of(peer, *arguments, home=home)
    gaps, told = cast("list[float]", found["gaps"]), cast("int", found["told"])
    return Gaps(sorted(gaps), told)


async def measured_stalls(table: Table, what: str, peer: str, *arguments: str, home: Path) -> Gaps:
    """Measure a peer's window for a while (its last argument but one is how long) and hold what is promised."""
    load_before, _, _ = os.getloadavg()
    before = await gaps_of("heartbeat", str(SECONDS / 3), home=home)
    ours = await gaps_of(peer, *arguments, home=home)
    after = await gaps_of("heartbeat", str(SECONDS / 3), home=home)
    bare = max(before, after, key=lambda gaps: gaps.at(1))
    calm = bare.at(1) <= CALM_MS and load_before <= (os.cpu_count() or 1)
    table.show(
        f"stalls (p50 / p99 / p99.9 / longest), {what}",
        str(ours),
        f"bare window {bare}",
        wanted="p99.9 ≤ 50 ms, none over 100 ms" + ("" if calm else "; not judged, the machine is busy"),
    )
    if JUDGED and calm:
        assert ours.at(0.999) <= 50
        assert ours.at(1) <= 100
    return ours
