"""A thread as a script: what its models answered becomes a file of the project that a scripted model plays."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from workbench.base.errors import UserError
from workbench.domain.threads import Thread
from workbench.engine.services import Services
from workbench.models import recorded_script, written

FOLDER = "scripts"
"""Where scripts lie that are not told to lie elsewhere."""


@dataclass(frozen=True, slots=True)
class SavedScript:
    """`model` is what a scripted model's field of that name says to play it. `below` counts threads below the thread,
    whose answers are not in it."""

    model: str
    steps: int
    below: int


class ThreadScripts:
    """Belongs to the loop that opened the project. `Workbench.scripts` is one."""

    def __init__(self, services: Services, root: Path) -> None:
        self._services = services
        self._root = root

    async def save(self, thread: Thread, file: str = "") -> SavedScript:
        """Write the answers of a thread's models, as they came, to a file below the project (T20).

        Without `file` it lies in `scripts` and is called by the agent. Raises UserError when no model has answered
        in it, and when the file is there already, would lie outside of the project or cannot be written.
        """
        store = self._services.store
        messages = {message.id: message for message in await store.history(thread.id)}
        script = recorded_script(await store.requests(thread.id), messages, await store.last_turns(thread.id))
        if not script.steps:
            raise UserError("No model has answered in this thread yet, so there is nothing to play.")
        path = await asyncio.to_thread(self._write, thread.origin_agent, file, written(script))
        below = await store.children(thread.id)
        return SavedScript(path.relative_to(self._root).as_posix(), len(script.steps), len(below))

    def _write(self, agent: str, file: str, text: str) -> Path:
        path = self._inside(file) if file else self._free(agent)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as made:
                made.write(text)
        except FileExistsError:
            raise UserError(
                f"The file {file} is there already.", hint="Name another one, or delete it."
            ) from None
        except OSError as error:
            raise UserError(f"The file {path} cannot be written: {error.strerror}.") from error
        return path

    def _inside(self, file: str) -> Path:
        path = (self._root / file).resolve()
        if not path.is_relative_to(self._root.resolve()):
            raise UserError(
                f"The file {file} would lie outside of the project.",
                hint=f"Name one below it, such as {FOLDER}/recorded.json: there a model looks for it.",
            )
        return self._root / path.relative_to(self._root.resolve())

    def _free(self, agent: str) -> Path:
        name = agent.replace("/", "-")
        ends = ("", *(f"-{number}" for number in range(2, 10_000)))
        names = (self._root / FOLDER / f"{name}-recorded{end}.json" for end in ends)
        return next(path for path in names if not path.exists())
