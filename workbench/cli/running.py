"""Running one call from the terminal: shown live, stopped by Ctrl+C, followed by what it queued."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from workbench.base.ids import CallId
from workbench.cli.interrupt import stop_on_signal
from workbench.cli.live import LiveRows
from workbench.domain.calls import Origin

if TYPE_CHECKING:
    from workbench.app import CallRecord, Workbench


async def run_call(
    wb: Workbench,
    tool: str,
    arguments: bytes,
    *,
    quiet: bool,
    stop_after: float | None = None,
    **options: Any,
) -> tuple[CallRecord, bool]:
    """Call a tool and wait for it and for what it queued; gives its record, and whether it was interrupted.

    `options` go to `Workbench.call_tool`. `quiet`: see LiveRows. After `stop_after` seconds the call is stopped.
    Raises CallRefused.
    """

    stopping: list[asyncio.Task[None]] = []

    async def stop_all(calls: tuple[CallId, ...]) -> None:
        for call_id in calls:
            await wb.stop_call(call_id)

    def begin_to_stop() -> bool:
        calls = rows.open_calls()
        if calls:
            stopping.append(asyncio.create_task(stop_all(calls)))
        return bool(calls)

    with LiveRows(quiet=quiet) as rows, ExitStack() as stack:
        stack.callback(wb.subscribe(on_event=rows.on_event))
        if stop_after is not None:
            stack.callback(asyncio.get_running_loop().call_later(stop_after, begin_to_stop).cancel)
        interruption = stack.enter_context(stop_on_signal(begin_to_stop))
        record = await wb.call_tool(tool, arguments, origin=Origin.CLI, **options)
        await rows.all_ended()
        await asyncio.gather(*stopping)
    return record, interruption.asked
