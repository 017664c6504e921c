"""How a person names a thread: by its id, by the beginning of it, or as the last one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.base.ids import ThreadId
from workbench.domain.pages import ThreadFilter

if TYPE_CHECKING:
    from workbench.app import Workbench

LAST = "last"
"""The name of the thread with the newest activity."""

SHORT = 13
"""Characters of an id that hold the time: enough to tell the threads of one project apart."""

_WHOLE = 36


async def thread_id_of(wb: Workbench, name: str) -> ThreadId:
    """The whole id. Raises ThreadRefused when there is no such thread."""
    if len(name) < _WHOLE:
        key: str | None = None
        while True:
            page = await wb.threads.page(ThreadFilter(), key=key)
            for row in page.rows:
                if name == LAST or row.id.startswith(name):
                    return row.id
            key = page.next_key
            if key is None:
                break
    return (await wb.threads.thread(ThreadId(name))).id
