"""The result that came before: what a result is compared with."""

from __future__ import annotations

from workbench.app.workbench import Workbench
from workbench.domain.calls import Call, CallState
from workbench.domain.pages import CallFilter


async def earlier_call(workbench: Workbench, call: Call) -> Call | None:
    """The last call of the same tool that succeeded and was asked for before this one; None when there is none."""
    wanted = CallFilter(tool=call.tool, states=(CallState.SUCCEEDED,), before=call.created_at)
    page = await workbench.calls(wanted, limit=1)
    return await workbench.call(page.rows[0].id) if page.rows else None
