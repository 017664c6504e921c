"""How a person names a call: by its id, by the beginning of what tells it apart, or as the last one."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from workbench.base.errors import NotThere, UserError
from workbench.base.ids import CallId
from workbench.cli.thread_ids import LAST, require_id
from workbench.domain.pages import CallFilter, CallSummary

if TYPE_CHECKING:
    from workbench.app import Workbench


async def call_id_of(wb: Workbench, name: str) -> CallId:
    """The whole id. Raises UserError when several calls are meant, NotThere when none is."""
    require_id(name, "call", "call", "list")
    return CallId(name) if name.startswith(("tool_", "call_")) else await _whole_id(wb, name)


async def newest_first(wb: Workbench, filter: CallFilter) -> AsyncGenerator[CallSummary]:
    """The calls that a filter lets through."""
    key: str | None = None
    while True:
        page = await wb.calls(filter, key=key)
        for row in page.rows:
            yield row
        key = page.next_key
        if key is None:
            return


async def _whole_id(wb: Workbench, short: str) -> CallId:
    """The call whose id begins like this after the tool's name, as the table shows it."""
    found: list[CallId] = []
    async for row in newest_first(wb, CallFilter()):
        if short == LAST:
            return row.id
        if short_call_id(row.id, len(short)) == short:
            found.append(row.id)
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(f"The ids of {len(found)} calls begin with {short}.", hint="Write more of it.")
    raise NotThere(f"There is no call {short} in this project.", hint="See `workbench call list`.")


def short_call_id(call_id: CallId, length: int = 16) -> str:
    """The part of an id that holds the time: enough to tell the calls of one project apart."""
    return call_id.rpartition("_")[2][:length]
