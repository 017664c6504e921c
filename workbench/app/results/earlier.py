"""The result that came before: what a result is compared with."""

from __future__ import annotations

from workbench.app.workbench import Workbench
from workbench.domain.calls import Call, CallState
from workbench.domain.pages import CallFilter

_PAGE = 200


async def earlier_call(workbench: Workbench, call: Call) -> Call | None:
    """The last call of the same tool that succeeded before this one did begin; None when there is none."""
    wanted = CallFilter(tool=call.tool, states=(CallState.SUCCEEDED,))
    key: str | None = None
    is_older = False
    while True:
        page = await workbench.calls(wanted, limit=_PAGE, key=key)
        for row in page.rows:
            if is_older:
                return await workbench.call(row.id)
            is_older = row.id == call.id
        if page.next_key is None:
            return None
        key = page.next_key
