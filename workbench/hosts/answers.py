"""A worker's words turned into the values of the port."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.domain.definitions import DefinitionFile, Diagnostic, LoadedFile, Severity
from workbench.engine.ports import HostAnswer, Raised, Returned, ReturnedAttachment, Unavailable

Header = Mapping[str, Any]


def answer(header: Header, parts: Sequence[bytes], left_behind: tuple[str, ...] = ()) -> HostAnswer:
    """A finished call."""
    if header["answer"] == "no-debugger":
        return Unavailable(f"No debugger can be had: {header['message']}.", header["hint"])
    if header["answer"] == "raised":
        return Raised(
            kind=header["kind"],
            type=header["type"],
            message=header["message"],
            stack=header["stack"],
            transient=header["transient"],
            left_behind=left_behind,
        )
    shape: str = header["shape"]
    body = parts[0] if parts else b""
    return Returned(
        shape=shape,
        is_error=header.get("isError", False),
        text=body if shape in {"tool_result", "text"} else b"",
        json=body if shape in {"envelope", "json"} else None,
        stack=header.get("stack", ""),
        attachments=_attachments(header.get("attachments", ()), parts[1:]),
        left_behind=left_behind,
    )


def _attachments(listed: Sequence[Header], parts: Sequence[bytes]) -> tuple[ReturnedAttachment, ...]:
    remaining = iter(parts)
    return tuple(
        ReturnedAttachment(
            name=fields["name"],
            mime_type=fields["mimeType"],
            data=None if "path" in fields else next(remaining),
            path=fields.get("path"),
            width=fields["width"],
            height=fields["height"],
        )
        for fields in listed
    )


def loaded(file: DefinitionFile, header: Header) -> LoadedFile:
    """A described file, or what is wrong with it."""
    problems = tuple(_problem(file, **fields) for fields in header["problems"])
    return LoadedFile(file=file, raw=header["raw"], problems=problems, depends_on=tuple(header["dependsOn"]))


def not_loaded(file: DefinitionFile, code: str, message: str, hint: str = "") -> LoadedFile:
    """A file that no worker could describe."""
    return LoadedFile(file=file, problems=(_problem(file, code=code, message=message, hint=hint),))


def _problem(file: DefinitionFile, **fields: Any) -> Diagnostic:
    return Diagnostic(severity=Severity.ERROR, path=file.path, name=file.name, **fields)


def how_it_ended(status: int) -> str:
    """An exit status in words; negative is a signal."""
    if status >= 0:
        return f"exited with code {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
