"""Calls tools without end and prints each call's id once it is recorded; started, and killed, by a test."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from workbench.app import open_workbench
from workbench.engine.doubles.vault import MemoryVault


async def main(project: Path, person: Path) -> None:
    async with open_workbench(project, data_dir=person, vault=MemoryVault()) as wb:

        async def caller() -> None:
            while True:
                record = await wb.call_tool("echo", {"text": "x" * 100})
                os.write(1, f"{record.call_id}\n".encode())

        await asyncio.gather(caller(), caller(), caller())


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
