"""Another process at work on a store, run as a program: `other_process.py WHAT PATH [COUNT]`; it says what it did."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests.store.sample_history import call, finished, put_thread, started
from workbench.base.clock import SystemClock
from workbench.base.ids import ThreadId
from workbench.domain.events import CallLogged
from workbench.domain.writes import AppendEvent, PutCall, SetValue
from workbench.store import SqliteStore, open_store


async def run_calls(store: SqliteStore, thread_id: ThreadId) -> None:
    """Begin and end calls as fast as possible, three side by side; each acknowledged step is said."""

    async def run() -> None:
        number = 0
        while True:
            running, begun = started(thread_id, arguments='{"said": "' + "x" * 500 + '"}')
            await store.commit(*begun)
            say(f"began {running.id}")
            number += 1
            text = "result " * (20_000 if number % 20 == 0 else 20)
            _, ended = finished(running, text)
            await store.commit(*ended)
            say(f"ended {running.id}")

    await asyncio.gather(*(run() for _ in range(3)))


async def write_values(store: SqliteStore, thread_id: ThreadId, count: int) -> None:
    """Count in commits of their own, twenty side by side."""

    async def write(first: int) -> None:
        for number in range(first, count, 20):
            await store.commit(SetValue(thread_id, f"{number}", f"{number}"))

    await asyncio.gather(*map(write, range(20)))


async def main(what: str, path: str, count: str = "0") -> None:
    store = await open_store(Path(path), clock=SystemClock())
    bench = await store.bench_thread()
    thread_id = bench.id if bench is not None else await put_thread(store)
    say(f"opened {len(store.interrupted)} {store.project_id}")
    match what:
        case "calls":
            await run_calls(store, thread_id)
        case "values":
            await write_values(store, thread_id, int(count))
        case "hold":
            running, begun = started(thread_id)
            await store.commit(*begun)
            for line in range(1, int(count) + 1):
                ids = {"thread_id": thread_id, "call_id": running.id, "at": 1 + line * 1_000_000}
                logged = CallLogged.model_validate({**ids, "stream": "stdout", "text": f"line {line}\n"})
                await store.commit(AppendEvent(logged))
            say(f"began {running.id}")
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
        case "one":
            await store.commit(PutCall(call(thread_id)))
        case _:
            raise SystemExit(f"unknown: {what}")
    await store.close()
    say("closed")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
