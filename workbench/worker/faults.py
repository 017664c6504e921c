"""What a raised exception means: its words, the author's own part of the stack, and whether a retry may help."""

from __future__ import annotations

import linecache
import os
import socket
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from workbench.authoring import MissingVariable, TransientError

_TRANSIENT = (TransientError, TimeoutError, socket.timeout, ConnectionRefusedError, ConnectionResetError)
_TRANSIENT_STATUS = frozenset({408, 425, 429})


def raised(error: BaseException, root: str, kind: str = "") -> dict[str, Any]:
    """The header fields of a `Raised`, for an exception out of an author's code."""
    if not kind:
        kind = "missing_variable" if isinstance(error, MissingVariable) else "tool_error"
    return {
        "answer": "raised",
        "kind": kind,
        "type": type(error).__name__,
        "message": message_of(error),
        "stack": clean(own_stack(error, root)),
        "transient": is_transient(error),
    }


def message_of(error: BaseException) -> str:
    """The exception in words, never empty and never raising itself."""
    if isinstance(error, SystemExit):
        return f"The tool called sys.exit({error.code!r})."
    if type(error).__name__ == "BdbQuit":
        return "The tool stopped in pdb, which has no terminal here. Run the tool under the debugger."
    try:
        # A KeyError shows its key as a literal, other lookups (MissingVariable) are messages in themselves.
        text = f"KeyError: {error}" if type(error) is KeyError else str(error)
    except Exception:  # the author's own __str__
        text = ""
    return clean(text) or f"{type(error).__name__} without a message"


def clean(text: str) -> str:
    """Text that UTF-8 can carry: half surrogate pairs are written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def is_transient(error: BaseException) -> bool:
    """Time-out, connection refused or reset, a status that means 'later', or TransientError; also as the cause (C9)."""
    return any(
        isinstance(link, _TRANSIENT)
        or isinstance(getattr(link, "reason", None), _TRANSIENT)
        or _is_transient_status(link)
        for link in _chain(error)
    )


def _is_transient_status(error: BaseException) -> bool:
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "status", "code"):
            status = getattr(holder, name, None)
            if isinstance(status, int) and (status in _TRANSIENT_STATUS or 500 <= status <= 599):
                return not isinstance(error, SystemExit)
    return False


def own_stack(error: BaseException, root: str) -> str:
    """The frames in files of the project, file names relative to it; causes first, as Python prints them."""
    sections: list[str] = []
    for link in _chain(error):
        frames = [
            f'  File "{path}", line {line}, in {function}\n    {source}'
            for path, line, function, source in own_frames(link.__traceback__, root)
        ]
        if frames:
            name = type(link).__name__
            sections.append("\n".join((*frames, f"{name}: {message_of(link).removeprefix(f'{name}: ')}")))
    return "\n\n".join(reversed(sections))


def own_frames(traceback: TracebackType | None, root: str) -> Iterator[tuple[str, int, str, str]]:
    """Relative path, line, function and source line of each frame in a file of the project."""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        path = project_path(code.co_filename, root)
        if path is not None:
            line = traceback.tb_lineno
            yield path, line, code.co_name, clean(linecache.getline(code.co_filename, line).strip())
        traceback = traceback.tb_next


def project_path(path: str, root: str) -> str | None:
    """The path relative to the project, with forward slashes; None for files that are not the project's own."""
    if not path.startswith(root + os.sep):
        return None
    relative = path[len(root) + 1 :].replace(os.sep, "/")
    return None if "site-packages/" in relative else clean(relative)


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
