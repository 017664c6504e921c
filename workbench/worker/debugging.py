"""A call under a debugger: this process listens on loopback and waits until one has attached."""

from __future__ import annotations

import importlib
import json
import os
import socket
import sys
from typing import Any

from workbench.worker.channel import Channel
from workbench.worker.faults import message_of
from workbench.worker.frames import Header

LOOPBACK = "127.0.0.1"


class NoDebuggerError(RuntimeError):
    """`breakpoint()` was reached with nobody there to take over."""


def refuse_breakpoints() -> None:
    """From now on `breakpoint()` ends the call in words, unless the person has named a hook of their own."""
    if not os.environ.get("PYTHONBREAKPOINT"):
        sys.breakpointhook = _refuse


def _refuse(*args: Any, **kwargs: Any) -> None:
    raise NoDebuggerError(
        "breakpoint() was reached, but no debugger is attached. Run the tool under the debugger, or take it out."
    )


def wait_for_debugger(channel: Channel) -> Header | None:
    """Listen, tell where, and wait for a debugger; None when one is there, else the answer that says why not.

    Emits `debugger` with `{"state": "listening", "host", "port"}`, and with `{"state": "attached"}`.
    """
    # Only the standard library's frozen modules are meant, and they are nobody's to debug.
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    try:
        debugpy: Any = importlib.import_module("debugpy")
    except ImportError as error:
        return _refused(error, f"Install it for this project: {sys.executable} -m pip install debugpy")
    port = _free_port()
    try:
        # In this process, so that the debugger leaves no process of its own behind.
        debugpy.listen((LOOPBACK, port), in_process_debug_adapter=True)
    except (OSError, RuntimeError) as error:
        return _refused(error, "")
    _tell(channel, "debugger", {"state": "listening", "host": LOOPBACK, "port": port})
    _tell(channel, "progress", {"message": f"Waiting for a debugger at {LOOPBACK}:{port}"})
    debugpy.wait_for_client()
    _tell(channel, "debugger", {"state": "attached"})
    _tell(channel, "progress", {"message": "Debugger attached"})
    return None


def _refused(error: Exception, hint: str) -> Header:
    return {"answer": "no-debugger", "message": message_of(error), "hint": hint}


def _free_port() -> int:
    with socket.create_server((LOOPBACK, 0)) as server:
        port: int = server.getsockname()[1]
        return port


def _tell(channel: Channel, event: str, data: Any) -> None:
    channel.emit({"op": "emit", "event": event}, [json.dumps(data).encode()])
