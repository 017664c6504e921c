"""The worker's main loop: one request at a time from the engine, answered with everything it led to.

Started by the host as `python FOLDER SOCKET ROOT`: FOLDER exposes `workbench.authoring` and
`workbench.worker` alone, SOCKET is a descriptor number, ROOT the project. Big payloads are left in FOLDER's `big`.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import io
import os
import resource
import sys
import warnings
from typing import Any

from workbench.worker.calling import Caller
from workbench.worker.channel import Channel
from workbench.worker.debugging import refuse_breakpoints, wait_for_debugger
from workbench.worker.describing import described
from workbench.worker.ending import adopt_descendants, flush_native_output, has_children
from workbench.worker.faults import message_of, raised
from workbench.worker.frames import Header
from workbench.worker.library import Library
from workbench.worker.loading import Loader, LoadError


def main() -> None:
    folder, descriptor, root = sys.argv[0], int(sys.argv[1]), sys.argv[2]
    sys.argv[:] = [""]
    # The memory of a tool that crashes holds its secrets, and would be written into the project's folder.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    adopt_descendants()
    faulthandler.enable()
    refuse_breakpoints()
    # At each call anew, not once for a line: what was not awaited did not happen.
    warnings.filterwarnings("always", ".* was never awaited", RuntimeWarning)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    gc.freeze()
    gc.enable()
    Worker(Channel(descriptor, f"{folder}/big"), folder, root).run()


_SECONDS_TO_BE_WANTED = 0.03
"""A worker that is not asked for anything this long after its start is a spare."""

_SECONDS_TO_BE_CALLED = 0.5
"""One that has loaded files and is left alone this long gets ready for the first call."""


class Worker:
    def __init__(self, channel: Channel, folder: str, root: str) -> None:
        self._channel = channel
        self._root = root
        self._loader = Loader(root)
        self._caller = Caller(channel, self._loader)
        self._streams = (sys.stdout, sys.stderr)
        self._modules_seen = 0
        # Ours first, so that no file of the project can stand in its place.
        self._path = [folder, root, *(entry for entry in sys.path if entry not in ("", folder, root))]

    def run(self) -> None:
        """Serve until the engine closes the pipe."""
        self._channel.send({"op": "ready", "version": sys.version.split()[0]})
        if not self._channel.is_wanted_within(_SECONDS_TO_BE_WANTED):
            _import_ahead("asyncio", "pydantic.json_schema")
        request = self._channel.next_request()
        sys.meta_path.insert(0, Library())
        sys.path[:] = self._path  # not before: what is imported so far came from no file of the project
        sys.dont_write_bytecode = True  # nothing of the project is compiled to disk
        while request is not None:
            header, parts = request
            answer, out = self._answer(header, parts)
            if self._channel.is_forked:
                os._exit(0)  # the author's code forked, and this is the copy
            self._finish(header["id"], answer, out)
            if header["op"] == "load" and not self._channel.is_wanted_within(_SECONDS_TO_BE_CALLED):
                _import_ahead("asyncio")
            request = self._channel.next_request()

    def _answer(self, header: Header, parts: list[bytes]) -> tuple[Header, list[bytes]]:
        if header["op"] == "load":
            return self._load(header["path"], header["dialect"]), []
        if header["op"] == "call":
            if "debug" in header and (refused := wait_for_debugger(self._channel)):
                return refused, []
            return self._caller.call(header["path"], header["dialect"], parts[0], header["identity"])
        return self._caller.evaluate(header["path"], header["dialect"], header["field"], parts[0])

    def _load(self, path: str, dialect: str) -> Header:
        try:
            raw = described(self._loader.definition(path), dialect)
            problems: list[Any] = []
        except LoadError as error:
            raw, problems = None, [error.problem]
        except Exception as error:  # values of the author's own kinds, which fail when they are looked at
            message = f"The definition cannot be read: {message_of(error)}"
            raw, problems = None, [{"code": "bad-field", "message": message}]
        depends_on = self._loader.depends_on[path]
        return {"answer": "loaded", "raw": raw, "problems": problems, "dependsOn": depends_on}

    def _finish(self, number: int, answer: Header, parts: list[bytes]) -> None:
        """Send the answer, after everything that was printed."""
        self._channel.forget_answers()
        answer.update(op="finished", id=number, children=has_children(), worn=not self._tidy())
        if answer["answer"] != "loaded" and len(sys.modules) != self._modules_seen:
            self._modules_seen = len(sys.modules)
            answer["files"] = self._loader.files()
        try:
            self._channel.send(answer, parts)
        except OSError as error:  # a big value found no room on the disk
            failed = {key: answer[key] for key in ("op", "id", "children", "worn")}
            try:
                self._channel.send({**failed, **raised(error, self._root)})
            except OSError:
                sys.exit("The tool closed the connection to Workbench.")

    def _tidy(self) -> bool:
        """Flush what was printed and go back to the project's folder; False when the streams were exchanged."""
        flush_native_output()
        try:
            for stream in self._streams:
                stream.flush()
            os.chdir(self._root)
        except (OSError, ValueError):
            return False
        return (sys.stdout, sys.stderr) == self._streams


def _import_ahead(*modules: str) -> None:
    """What most definitions or calls need, while there is none to wait for it."""
    with contextlib.suppress(Exception):  # a broken installation shows when a definition imports it
        for module in modules:
            importlib.import_module(module)
