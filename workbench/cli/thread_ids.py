"""How a person names a thread: by its id, by the beginning or the end of it, or as the last one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.base.errors import UserError
from workbench.base.ids import MessageId, ThreadId
from workbench.cli.invocation import as_typed
from workbench.domain.pages import ThreadFilter

if TYPE_CHECKING:
    from workbench.app import Workbench

LAST = "last"
"""The name of the thread with the newest activity."""

SHORT = 13
"""Characters of an id that hold the time: enough to tell the threads of one project apart."""

_WHOLE = 36
_END = 6


def short_message_id(message_id: MessageId) -> str:
    """The end of a message's id, by which a person names it."""
    return message_id[-_END:]


def id_end(thread_id: ThreadId) -> str:
    """What the window tells threads apart by, where they began with the same words."""
    return thread_id[-_END:]


def require_id(name: str, of: str, *list_command: str) -> None:
    """Raises UserError for an empty id of a thread, a call …: any begins and ends so. `list_command` tells ids."""
    if not name.strip():
        raise UserError(
            f"The id of the {of} is empty.", hint=f"`{as_typed(*list_command)}` tells those that there are."
        )


async def message_id_of(wb: Workbench, thread_id: ThreadId, name: str) -> MessageId:
    """The message of a thread whose id is this, or ends so. Raises UserError when there is none, or are several."""
    require_id(name, "message", "thread", "show", thread_id, "--ids")
    found = [one.id for one in await wb.store.history(thread_id) if one.id.endswith(name)]
    if len(found) != 1:
        hint = f"`{as_typed('thread', 'show', thread_id, '--ids')}` tells those it has."
        how_many = "Several messages of the thread have" if found else "The thread has no message with"
        raise UserError(f"{how_many} an id that ends in {name}.", hint=hint)
    return found[0]


async def thread_id_of(wb: Workbench, name: str) -> ThreadId:
    """The whole id. Raises ThreadRefused when there is no such thread, UserError when several are meant."""
    return (await wb.threads.thread(await whole_id(wb, name))).id


async def whole_id(wb: Workbench, name: str) -> ThreadId:
    """The id that is meant, or `name` as it is where no thread is. Raises UserError when several are meant."""
    require_id(name, "thread", "thread", "list")
    found: list[ThreadId] = []
    key: str | None = None
    while len(name) < _WHOLE:
        page = await wb.threads.page(ThreadFilter(), key=key)
        for row in page.rows:
            if name == LAST:
                return row.id
            if row.id.startswith(name) or (len(name) >= _END and row.id.endswith(name)):
                found.append(row.id)
        key = page.next_key
        if key is None:
            break
    if len(found) > 1:
        raise UserError(f"The ids of {len(found)} threads begin with {name}.", hint="Write more of it.")
    return found[0] if found else ThreadId(name)
