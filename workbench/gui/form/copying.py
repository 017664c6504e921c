"""A call that a form would make, copied as what runs elsewhere."""

from __future__ import annotations

from enum import Enum

from workbench.base.errors import UserError
from workbench.forms import Sent
from workbench.gui.controls.sections import copy
from workbench.gui.session.session import Session


class CopyAs(Enum):
    """The forms a call is copied in, by the ids of their commands."""

    COMMAND = "copy-command"
    PYTHON = "copy-python"
    CURL = "copy-curl"
    JSON = "copy-json"


async def copy_call(session: Session, how: CopyAs, tool: str, sent: Sent) -> None:
    """Copy a call; secrets stand as their marks where the text leaves for a shell or a program (V6).

    JSON is exactly what would be sent, or what there is of it. Raises UserError where the rest needs a call that can
    be made and there is none.
    """
    if how is CopyAs.JSON:
        copy(sent.json_text if sent.json_text is not None else sent.preview)
    elif sent.json_text is None:
        raise UserError(
            "There is no call to copy yet: the form has problems.", hint="F8 leads to the next one."
        )
    else:
        await copy_arguments(session, how, tool, sent.json_text)
        return
    session.tell(_DONE[how])


async def copy_arguments(session: Session, how: CopyAs, tool: str, arguments: str) -> None:
    """Copy a call with arguments (JSON text) that are there already, such as those of a past call."""
    data = arguments.encode()
    if how is CopyAs.JSON:
        copy(arguments)
    elif how is CopyAs.CURL:
        session.tell(await _copy_curl(session, tool, data))
        return
    elif how is CopyAs.COMMAND:
        copy(await session.ask(lambda wb: wb.inputs.command_line(tool, data)))
    else:
        copy(await session.ask(lambda wb: wb.inputs.python_script(tool, data)))
    from workbench.app.notices import not_masked

    names = await session.ask(lambda wb: wb.inputs.not_masked()) if how is not CopyAs.JSON else ()
    session.tell(f"{_DONE[how]} {not_masked(names)}" if names else _DONE[how])


async def _copy_curl(session: Session, tool: str, data: bytes) -> str:
    """Copy the request to this window's server, or to the one that `workbench serve` would be; what was done."""
    mode = session.run_mode

    settings, slug = await session.ask(lambda wb: (wb.server_settings, wb.project.slug))
    url = session.served_at or f"http://127.0.0.1:{settings.port}/{slug}"
    made: tuple[str, tuple[str, ...]] = await session.ask(
        lambda wb: wb.inputs.curl(tool, data, url, asks_token=settings.auth, dry_run=mode.dry_run)
    )
    text, names = made
    copy(text)
    told = f" {', '.join(names)} stand as shell variables." if names else ""
    needs = "" if session.served_at else " It needs a server: start one."
    return f"{_DONE[CopyAs.CURL]}{told}{needs}"


_DONE = {
    CopyAs.CURL: "Copied as curl.",
    CopyAs.COMMAND: "Copied as a command line.",
    CopyAs.PYTHON: "Copied as a Python program.",
    CopyAs.JSON: "Copied as JSON.",
}
