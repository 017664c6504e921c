"""Running one call from the terminal: shown live, stopped by Ctrl+C, followed by what it queued."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

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

    async def stop() -> None:
        for call_id in rows.open_calls():
            await wb.stop_call(call_id)

    loop = asyncio.get_running_loop()
    with LiveRows(quiet=quiet) as rows:
        unsubscribe = wb.subscribe(on_event=rows.on_event)
        timer = loop.call_later(stop_after, lambda: loop.create_task(stop())) if stop_after else None
        try:
            with stop_on_signal(lambda: stop() if rows.open_calls() else None) as interruption:
                record = await wb.call_tool(tool, arguments, origin=Origin.CLI, **options)
                await rows.all_ended()
        finally:
            unsubscribe()
            if timer is not None:
                timer.cancel()
    return record, interruption.asked
