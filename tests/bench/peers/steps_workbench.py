"""Our own engine: an open project with a scripted agent, its store on disk and a real worker that runs the tool.

FOLDER is where the project lies. Each turn is a thread of its own. It keeps each request with what was asked, each
message, each call with its pending and its final result, and the events of them all; an answer is in the file before
its calls run, each result and each answer without calls is on the disk before anything else happens.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.bench.peers.rounds import answer_rounds
from tests.bench.stepping import stepping_in


async def main(folder: Path) -> None:
    async with stepping_in(folder) as stepping:
        await answer_rounds(stepping.turn, stepping.rest)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
