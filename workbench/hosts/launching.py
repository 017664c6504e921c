"""Starting a worker's process, with its pipe and its output, or saying in words why it cannot be started."""

from __future__ import annotations

import itertools
import os
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.engine.ports import Unavailable
from workbench.hosts.exposure import Exposure
from workbench.hosts.process_tree import MARK, end_tree

_HINT = "Set `python` in workbench.toml to an interpreter of version 3.9 or later, or make a .venv in the project."

_numbers = itertools.count(1)


class CannotStartError(Exception):
    """No worker could be had; `answer` says why, and what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.answer = Unavailable(message, _HINT)


@dataclass(frozen=True, slots=True)
class Launched:
    """A process that has just been started; `stdout` and `stderr` are the descriptors to read."""

    process: subprocess.Popen[bytes]
    mark: str
    pipe: socket.socket
    stdout: int
    stderr: int

    def abandon(self) -> None:
        """Nobody wants it any more. Blocking."""
        self.pipe.close()
        os.close(self.stdout)
        os.close(self.stderr)
        end_tree(self.process.pid, self.mark)
        self.process.wait()


def launch(python: Path, project: Path, exposure: Exposure, environment: Mapping[str, str]) -> Launched:
    """Start a worker in a session of its own. Blocking: runs in a lane. Raises CannotStartError."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    stdout, stderr = os.pipe(), os.pipe()
    mark = f"{os.getpid()}.{exposure.folder.name}.{next(_numbers)}"
    try:
        exposure.prepare()
        process = subprocess.Popen(
            [str(python), str(exposure.folder), str(theirs.fileno()), str(project)],
            cwd=project,
            env={**environment, MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=stdout[1],
            stderr=stderr[1],
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
        )
    except OSError as error:
        ours.close()
        os.close(stdout[0])
        os.close(stderr[0])
        raise CannotStartError(
            f"The project's Python cannot be started: {python}: {error.strerror}."
        ) from error
    finally:
        theirs.close()
        os.close(stdout[1])
        os.close(stderr[1])
    return Launched(process, mark, ours, stdout[0], stderr[0])
