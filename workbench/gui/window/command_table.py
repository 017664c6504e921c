"""The table of commands: what each is called, where it stands, which keys ask for it and when it can be done."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Protocol

from workbench.gui.code_pad.pad_commands import PAD_COMMANDS
from workbench.gui.commands.commands import Command
from workbench.gui.commands.document_commands import DOCUMENT_COMMANDS
from workbench.gui.commands.offering import OfferedCommand
from workbench.gui.form.form_commands import FORM_COMMANDS
from workbench.gui.style.theme import Mode
from workbench.gui.thread.thread_commands import THREAD_COMMANDS

_COLOURS = "theme color scheme mode appearance"
_SIZES = "zoom scale font bigger"


class Target(Protocol):
    """What the commands act on: `Verbs`. `why_*` say why not, "" when it can be done."""

    def run(self) -> None: ...
    def stop_all(self) -> None: ...
    def next_problem(self) -> None: ...
    def act_on_call(self, action: str) -> None:
        """Do one of what can be done about a call (`live.actions_of`) to the call that it is for now."""
        ...

    def ask_before_running(self) -> None: ...
    def switch_dry_run(self) -> None: ...
    def is_dry_run(self) -> bool: ...
    def ask_as_of(self) -> None: ...
    def open_project(self) -> None: ...
    def open_beside(self) -> None: ...
    def show_recent(self) -> None: ...
    def open_sample(self) -> None: ...
    def leave_all(self) -> None: ...
    def show_menu(self) -> None: ...
    def show_keys(self) -> None: ...
    def new_tool(self) -> None: ...
    def new_pad(self) -> None: ...
    def start_thread(self) -> None: ...
    def open_in_editor(self) -> None: ...
    def show_filter(self) -> None: ...
    def show_palette(self) -> None: ...
    def show_variables(self) -> None: ...
    def show_threads(self) -> None: ...
    def show_calls(self) -> None: ...
    def search_calls(self) -> None: ...
    def show_server(self) -> None: ...
    def show_live(self) -> None: ...
    def filter_live(self) -> None: ...
    def follow_live(self) -> None: ...
    def clear_live(self) -> None: ...
    def turn_page(self, page: int) -> None: ...
    def next_document(self, step: int) -> None: ...
    def close_document(self) -> None: ...
    def set_mode(self, mode: Mode) -> None: ...
    def is_mode(self, mode: Mode) -> bool: ...
    def larger_text(self) -> None: ...
    def smaller_text(self) -> None: ...
    def normal_text(self) -> None: ...
    def why_no_larger_text(self) -> str: ...
    def why_no_smaller_text(self) -> str: ...
    def toggle_panel(self, id: str) -> None: ...
    def arrange_panels(self) -> None: ...
    def put_panels_back(self) -> None: ...
    def next_panel(self) -> None: ...
    def leave(self) -> None: ...
    def ask_document(self, what: str) -> None:
        """Have the document in front do one of what it offers now (`offers`), by the id of a command."""
        ...

    def document_offers(self, what: str) -> bool: ...
    def why_no_tool(self) -> str: ...
    def why_nothing_to_run(self) -> str: ...
    def why_no_document(self) -> str: ...
    def why_no_call_to(self, action: str) -> str: ...
    def dismiss(self) -> None: ...
    def take_offer(self) -> None: ...
    def why_nothing_offered(self) -> str: ...
    def why_nothing_said(self) -> str: ...
    def why_not_open(self) -> str: ...


def command_table(target: Target) -> list[Command]:
    """Every command of the window, in the order of the menus."""
    return [
        *_project(target),
        *_call(target),
        *_code_pad(target),
        *_thread(target),
        *_offered(target, "Document", (*FORM_COMMANDS, *DOCUMENT_COMMANDS)),
        *_go(target),
        *_view(target),
    ]


def _project(on: Target) -> list[Command]:
    menu, ready = "Project", on.why_not_open
    return [
        Command("open", "Open project…", menu, on.open_project, "Ctrl+O", "folder"),
        Command("open-beside", "Open project in new window…", menu, on.open_beside, "Ctrl+Shift+N"),
        Command("recent", "Recent projects…", menu, on.show_recent, "Ctrl+Shift+O", "history"),
        Command("sample", "Open the sample", menu, on.open_sample),
        Command("new-tool", "New tool…", menu, on.new_tool, "Ctrl+N", "plus", ready),
        Command("edit", "Open file in editor", menu, on.open_in_editor, "Ctrl+E", "open", on.why_no_tool),
        Command("quit", "Close window", menu, on.leave, "Ctrl+Q"),
        Command("quit-all", "Close all windows", menu, on.leave_all, "Ctrl+Shift+Q"),
    ]


def _call(on: Target) -> list[Command]:
    menu = "Call"

    def act(action: str, title: str, keys: str, icon: str = "") -> Command:
        do, why_not = partial(on.act_on_call, action), partial(on.why_no_call_to, action)
        return Command(f"{action}-call", title, menu, do, keys, icon, why_not)

    why_no_stop = partial(on.why_no_call_to, "stop")
    return [
        Command("run", "Run", menu, on.run, "Ctrl+Return", "play", on.why_nothing_to_run),
        Command("stop", "Stop call", menu, partial(on.act_on_call, "stop"), "Ctrl+.", "stop", why_no_stop),
        Command("stop-all", "Stop all", menu, on.stop_all, "Shift+Esc", "stop", on.why_not_open),
        act("approve", "Approve", "Ctrl+Shift+A", "approval"),
        act("edit", "Edit arguments and approve…", "Ctrl+Shift+E"),
        act("reject", "Reject…", "Ctrl+Shift+X"),
        act("set", "Set the missing variable…", "Ctrl+Shift+U", "key"),
        act("again", "Run again", "Ctrl+Shift+Return"),
        Command("clear-live", "Clear finished live calls", menu, on.clear_live, "", "", on.why_not_open),
        Command(
            "dry-run",
            "Dry run",
            menu,
            on.switch_dry_run,
            "Ctrl+Shift+Y",
            "stub",
            on.why_not_open,
            is_on=on.is_dry_run,
        ),
        Command("as-of", "As of an instant…", menu, on.ask_as_of, "", "clock", on.why_not_open),
        Command(
            "ask-before",
            "Ask before running…",
            menu,
            on.ask_before_running,
            "Ctrl+Shift+B",
            "approval",
            on.why_not_open,
        ),
        Command("problem", "Go to next problem", menu, on.next_problem, "F8", "", on.why_nothing_to_run),
    ]


def _code_pad(on: Target) -> list[Command]:
    menu = "Code pad"
    new = Command("new-pad", "New code pad", menu, on.new_pad, "Ctrl+Alt+N", "code", on.why_not_open)
    return [new, *_offered(on, menu, PAD_COMMANDS)]


def _thread(on: Target) -> list[Command]:
    menu = "Thread"
    start = Command(
        "start-thread", "Start a thread…", menu, on.start_thread, "Ctrl+T", "thread", on.why_not_open
    )
    return [start, *_offered(on, menu, THREAD_COMMANDS)]


def _offered(on: Target, menu: str, commands: Iterable[OfferedCommand]) -> list[Command]:
    """What the document in front does, when it is one that can."""

    def of(each: OfferedCommand) -> Command:
        def why_not() -> str:
            return "" if on.document_offers(each.id) else each.needs

        return Command(
            each.id, each.title, menu, partial(on.ask_document, each.id), each.keys, each.icon, why_not
        )

    return list(map(of, commands))


def _go(on: Target) -> list[Command]:
    menu, ready, tool = "Go", on.why_not_open, on.why_no_tool
    pages = ("Definition", "Form", "Source", "Calls of this tool")
    return [
        Command("menu", "Show the menu", menu, on.show_menu, "F10"),
        Command("keys", "Keyboard shortcuts…", menu, on.show_keys, "F1", also="hotkeys bindings help"),
        Command("palette", "Find a command…", menu, on.show_palette, "Ctrl+K", "search"),
        Command("filter", "Find a definition…", menu, on.show_filter, "Ctrl+P", "search", ready),
        Command("search", "Search all calls…", menu, on.search_calls, "Ctrl+Shift+F", "search", ready),
        Command("calls", "Calls", menu, on.show_calls, "Ctrl+H", "history", ready, also="history log"),
        Command("variables", "Variables", menu, on.show_variables, "Ctrl+Shift+V", "braces", ready),
        Command("server", "Server", menu, on.show_server, "", "server", ready),
        Command("threads", "Threads", menu, on.show_threads, "Ctrl+Shift+T", "thread", ready),
        Command("live", "Live calls", menu, on.show_live, "Ctrl+L", "", ready),
        Command(
            "filter-live", "Filter the live calls…", menu, on.filter_live, "Ctrl+Shift+L", "search", ready
        ),
        Command("newest", "Go to the newest live call", menu, on.follow_live, "", "arrow-down", ready),
        Command("panel", "Next panel", menu, on.next_panel, "F6", "", ready),
        *(
            Command(f"page-{at}", title, menu, partial(on.turn_page, at), f"Ctrl+{at + 1}", "", tool)
            for at, title in enumerate(pages)
        ),
        Command(
            "next", "Next document", menu, partial(on.next_document, 1), "Ctrl+PgDown", "", on.why_no_document
        ),
        Command(
            "back",
            "Document before",
            menu,
            partial(on.next_document, -1),
            "Ctrl+PgUp",
            "",
            on.why_no_document,
        ),
        Command("close", "Close document", menu, on.close_document, "Ctrl+W", "close", on.why_no_document),
    ]


def _view(on: Target) -> list[Command]:
    menu, ready = "View", on.why_not_open

    def panel(id: str, title: str, keys: str) -> Command:
        return Command(f"panel-{id}", title, menu, partial(on.toggle_panel, id), keys, "panel", ready)

    def colours(mode: Mode, title: str, icon: str = "") -> Command:
        do, is_on = partial(on.set_mode, mode), partial(on.is_mode, mode)
        return Command(mode.value, title, menu, do, icon=icon, also=_COLOURS, is_on=is_on)

    return [
        colours(Mode.SYSTEM, "Colours of the system"),
        colours(Mode.LIGHT, "Light colours", "sun"),
        colours(Mode.DARK, "Dark colours", "moon"),
        Command(
            "larger-text",
            "Larger text",
            menu,
            on.larger_text,
            "Ctrl++",
            "plus",
            on.why_no_larger_text,
            also=_SIZES,
            other_keys="Ctrl+=",
        ),
        Command(
            "smaller-text",
            "Smaller text",
            menu,
            on.smaller_text,
            "Ctrl+-",
            "minus",
            on.why_no_smaller_text,
            also=_SIZES,
        ),
        Command("normal-text", "Text of normal size", menu, on.normal_text, "Ctrl+0", also=_SIZES),
        panel("navigator", "Show or hide the navigator", "Ctrl+B"),
        panel("inspector", "Show or hide the inspector", "Ctrl+I"),
        panel("live", "Show or hide the live panel", "Ctrl+J"),
        Command(
            "take-offer",
            "Do what the message offers",
            menu,
            on.take_offer,
            "Ctrl+Alt+O",
            "",
            on.why_nothing_offered,
        ),
        Command("dismiss", "Close the message", menu, on.dismiss, "", "close", on.why_nothing_said),
        Command("arrange", "Arrange the panels", menu, on.arrange_panels, "", "", ready),
        Command("put-back", "Put the panels back", menu, on.put_panels_back, "", "", ready),
    ]
