"""Pictures of the window on the sample project, light and dark: `python packaging/screenshots.py FOLDER [NAME…]`.

Everything in them is real: the tools are run through their forms, in an own copy of the sample and with empty
folders of the person. Without a display they are drawn off screen.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WIDTH, HEIGHT = 1440, 900
PATIENCE = 60.0


async def until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds, a minute at most."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 – this program looks at the window from outside
            await asyncio.sleep(0.02)


class Scenes:
    """A window on the sample, and what is done in it before each picture."""

    def __init__(self, folder: Path, project: Path, names: list[str]) -> None:
        from workbench.gui.settings import WindowSettings
        from workbench.gui.window.windows import Windows
        from workbench.project.recent import RecentProjects

        self.folder = folder
        self.names = names
        windows = Windows(
            WindowSettings(project.parent / "window.ini"), RecentProjects(project.parent / "recent.json")
        )
        self.window = windows.open(project)
        self.window.resize(WIDTH, HEIGHT)

    async def begin(self) -> None:
        """Open the project and run the sample's demonstration in it."""
        await until(lambda: self.window.workspace is not None and self.window.workspace.tool is not None)
        await until(lambda: all(listing.definition is not None for listing in self.session.listings))
        examples = json.loads((ROOT / "resources/sample/examples/demo.json").read_text(encoding="utf-8"))
        await self.set_variables()
        for example in examples:
            if "tool" in example and "stopAfter" not in example:
                await self.run(example["tool"], example.get("input", {}))

    @property
    def workspace(self):
        workspace = self.window.workspace
        assert workspace is not None  # noqa: S101 – `begin` waited for it
        return workspace

    @property
    def session(self):
        session = self.window.session
        assert session is not None  # noqa: S101 – `begin` waited for it
        return session

    async def set_variables(self) -> None:
        from workbench.domain.variables import Scope, VariableType

        text, secret = VariableType.TEXT, VariableType.SECRET
        ask = self.session.ask
        await ask(lambda wb: wb.variables.set("DESK_PREFIX", "PD", Scope.INSTANCE, text))
        await ask(lambda wb: wb.variables.set("DESK_PREFIX", "HH", Scope.ACCOUNT, text))
        await ask(
            lambda wb: wb.variables.set("COURIER_PIN", "4711", Scope.ACCOUNT, secret, session_only=True)
        )
        await ask(
            lambda wb: wb.variables.set(
                "PRINTER_TOKEN", "pt-9d1f-51c0-77", Scope.INSTANCE, secret, session_only=True
            )
        )

    async def open(self, tool: str, page: int):
        from workbench.gui.tool.tool_document import Page

        listing = self.session.listing(tool)
        assert listing is not None  # noqa: S101 – the sample has it
        document = await self.workspace.opener.open_tool(listing)
        document.turn_to(Page(page))
        return document

    async def run(self, tool: str, arguments: object, *, wait: bool = True) -> None:
        document = await self.open(tool, 1)
        if document.form is not None:
            document.form.load(json.dumps(arguments))
        known = {row.call_id for row in self.workspace.live.model.calls()}
        self.window.verbs.run()
        await until(lambda: {row.call_id for row in self.workspace.live.model.calls()} - known)
        if wait:
            await until(lambda: all(row.state.is_final for row in self.workspace.live.model.calls()))
        self.workspace.documents.close_front()

    async def take(self, name: str) -> None:
        """The window as it is, light and dark, if this picture is wanted."""
        from workbench.gui.style.theme import Mode

        for mode in (Mode.LIGHT, Mode.DARK) if not self.names or name in self.names else ():
            self.window.set_mode(mode)
            await asyncio.sleep(0.25)
            self.window.grab().save(str(self.folder / f"{name}-{mode.value}.png"))

    async def play(self) -> None:
        """All pictures, in the order that a person would come by them."""
        await self.begin()
        await self.open("quote_postage", 0)
        await self.take("definition")
        await self.open("quote_postage", 2)
        await self.take("source")
        await self.form()
        self.workspace.opener.show_calls("")
        await until(lambda: self.calls().model.count() > 3)
        self.calls().setFocus()
        self.calls().view.go_to(next(at for at, row in enumerate(self.calls().model.rows()) if row.is_error))
        await asyncio.sleep(0.5)
        await self.take("calls")
        picture = next(row for row in self.calls().model.rows() if row.tool == "print_label")
        self.workspace.opener.show_call(picture.id)
        await asyncio.sleep(0.8)
        await self.take("call")
        view = self.workspace.opener.show_variables()
        view.view.setFocus()
        view.select("DESK_PREFIX")
        await asyncio.sleep(0.3)
        await self.take("variables")
        await self.thread()
        self.window.open_palette()
        await asyncio.sleep(0.1)
        await self.take("palette")

    async def end(self) -> None:
        """Stop what runs and close the window."""
        self.window.verbs.stop_all()
        space = self.window.workspace
        await until(lambda: space is None or all(row.state.is_final for row in space.live.model.calls()))
        self.window.close()
        await self.window.closed

    def calls(self):
        from workbench.gui.calls.calls_view import CallsView

        front = self.workspace.documents.get("calls")
        assert isinstance(front, CallsView)  # noqa: S101 – it was opened
        return front

    async def form(self) -> None:
        """A form with nested arguments, a mistake in it, and calls that run, wait and failed below."""
        from workbench.forms import NumberNode

        await self.run("import_parcels", {"rows": "A, B, 1\n" * 400, "seconds_per_row": 0.5}, wait=False)
        await self.run("refund_postage", {"code": "HH-0001", "cents": 1200}, wait=False)
        document = await self.open("register_parcel", 1)
        assert document.form is not None  # noqa: S101 – the tool loads
        document.form.load(
            json.dumps(
                {
                    "recipient": {"name": "Harbour Books", "street": "Hafenweg 12", "city": "Hamburg"},
                    "size": {"shape": "box", "length_cm": 30, "width_cm": 20, "height_cm": 12},
                    "weight_g": 1850,
                }
            )
        )
        width = document.form.form.at("/size/width_cm")
        assert isinstance(width, NumberNode)  # noqa: S101 – the sample has it
        width.set_text("20,5")
        document.form.reveal_all()
        document.form.focus_first()
        await asyncio.sleep(0.6)
        await self.take("window")

    async def thread(self) -> None:
        """The conversation of the demonstration's first agent."""
        examples = json.loads((ROOT / "resources/sample/examples/demo.json").read_text(encoding="utf-8"))
        example = next(one for one in examples if "agent" in one)
        first, *others = example["messages"]
        ask = self.session.ask
        thread = await ask(lambda wb: wb.threads.start(example["agent"], example["input"], message=first))
        await ask(lambda wb: wb.threads.parked(thread.id))
        for words in others:
            await ask(lambda wb, words=words: wb.threads.send(thread.id, words))
            await ask(lambda wb: wb.threads.parked(thread.id))
        self.workspace.opener.threads.show(thread.id)
        await asyncio.sleep(1.5)
        await self.take("thread")


@contextmanager
def own_folders() -> Generator[Path]:
    """A folder with a copy of the sample, which is also the home of this process."""
    with tempfile.TemporaryDirectory(prefix="workbench-pictures-") as name:
        home = Path(name)
        os.environ.update(
            HOME=name,
            XDG_DATA_HOME=str(home / "data"),
            XDG_CONFIG_HOME=str(home / "config"),
            XDG_CACHE_HOME=str(home / "cache"),
            PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring",
        )
        project = home / "parcel-desk"
        shutil.copytree(
            ROOT / "resources/sample", project, ignore=shutil.ignore_patterns(".workbench", "__pycache__")
        )
        yield project


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with own_folders() as project:
        sys.path.insert(0, str(ROOT))
        from workbench.gui.app import make_application, make_loop

        app = make_application()
        with closing(make_loop(app)) as loop:
            loop.run_until_complete(_play(folder, project, sys.argv[2:]))


async def _play(folder: Path, project: Path, names: list[str]) -> None:
    scenes = Scenes(folder, project, names)
    try:
        await scenes.play()
    finally:
        await scenes.end()


if __name__ == "__main__":
    main()
