"""What the commands do in a window: to the document in front, to the calls, to the window itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.gui.process import text_size
from workbench.gui.style.theme import Mode

if TYPE_CHECKING:
    from workbench.gui.commands.offering import Runnable
    from workbench.gui.window.window import Window
    from workbench.gui.window.workspace import Workspace


class Verbs:
    """One method a command (`command_table.Target`). Before the project is open most of them do nothing."""

    def __init__(self, window: Window) -> None:
        self._window = window

    @property
    def _space(self) -> Workspace | None:
        return self._window.workspace

    def run(self) -> None:
        """Run the tool or the code in front; what blocks it is said and shown instead."""
        if self._space is not None and self._space.runnable is not None:
            self._run(self._space.runnable)
            return
        tool = self._space.tool if self._space is not None else None
        if self._space is None or tool is None:
            return
        why = tool.why_not()
        if why:
            self._window.remark(f"Nothing was run: {why}.")
        elif tool.unsaved:
            self._window.remark("Ran the saved version; your text is not saved.")
        self._space.calls.run(tool)
        if not why:
            tool.inputs.ran()

    def _run(self, document: Runnable) -> None:
        why = document.why_not()
        if why:
            self._window.remark(f"Nothing was run: {why}.")
        document.run()

    def stop_all(self) -> None:
        if self._space is not None:
            self._space.calls.stop_all()

    def act_on_call(self, action: str) -> None:
        """Do it to the call that is chosen where the keyboard is; refused by `why_no_call_to` where none is meant."""
        if action == "again":
            self.ask_document("again-call")
            return
        if action == "stop" and self._is_about_code():
            self.ask_document("stop-code")
            return
        row = self._space.chosen.row_for(action) if self._space is not None else None
        if self._space is not None and row is not None:
            self._space.calls.act(row, action)

    def _is_about_code(self) -> bool:
        """Whether code that runs in front is meant, and not a call that is chosen."""
        chosen = self._space.chosen.get() if self._space is not None else ()
        return not chosen and self.document_offers("stop-code")

    def next_problem(self) -> None:
        if self._space is not None:
            front = self._space.tool or self._space.runnable
            if front is not None:
                front.next_problem()

    def open_project(self) -> None:
        """Another project opens in this one's place, after this one was closed."""
        self._window.choice.ask()

    def open_beside(self) -> None:
        """Another project opens in a window of its own."""
        self._window.choice.ask(beside=True)

    def show_recent(self) -> None:
        self._window.choice.show_recent()

    def open_sample(self) -> None:
        self._window.choice.open_sample()

    def show_menu(self) -> None:
        self._window.toolbar.open_menu()

    def ask_before_running(self) -> None:
        """Show the rules that make calls ask before they run."""
        if self._space is not None and self._window.session is not None:
            from workbench.gui.dialogs.break_rules import BreakRulesDialog

            tools = {one.tool for one in self._space.chosen.get()}
            name = self._space.tool.name if self._space.tool is not None else ""
            name = name or (tools.pop() if len(tools) == 1 else "")
            BreakRulesDialog(self._window, self._window.session, name).open()

    def switch_dry_run(self) -> None:
        """Begin runs and threads dry, or for real again."""
        session = self._window.session
        if session is not None:
            session.set_mode(replace(session.run_mode, dry_run=not session.run_mode.dry_run))

    def is_dry_run(self) -> bool:
        return self._window.session is not None and self._window.session.run_mode.dry_run

    def ask_as_of(self) -> None:
        from workbench.gui.dialogs.as_of_dialog import AskAsOf

        session = self._window.session
        if session is not None:
            mode = session.run_mode
            AskAsOf(
                self._window,
                mode.as_of,
                lambda instant: session.set_mode(replace(mode, as_of=instant)),
            ).open()

    def show_keys(self) -> None:
        from workbench.gui.commands.keys_dialog import KeysDialog

        KeysDialog(self._window, self._window.commands).open()

    def new_tool(self) -> None:
        if self._space is not None:
            self._space.new_tool()

    def new_pad(self) -> None:
        if self._space is not None:
            self._space.opener.pads.new()

    def start_thread(self) -> None:
        if self._space is not None:
            self._space.start_thread()

    def open_in_editor(self) -> None:
        if self._space is not None and self._space.tool is not None:
            self._space.tool.open_in_editor()

    def show_filter(self) -> None:
        if self._space is not None:
            self._space.docks.reveal("navigator")
            self._space.navigator.focus_filter()

    def show_threads(self) -> None:
        if self._space is not None:
            self._space.docks.reveal("navigator")
            self._space.navigator.focus_threads()

    def show_palette(self) -> None:
        self._window.open_palette()

    def show_variables(self) -> None:
        if self._space is not None:
            self._space.opener.show_variables()
            self._space.documents.focus_front()

    def show_server(self) -> None:
        if self._space is not None:
            self._space.opener.show_server()
            self._space.documents.focus_front()

    def show_calls(self) -> None:
        if self._space is not None:
            self._space.opener.show_calls()
            self._space.documents.focus_front()

    def search_calls(self) -> None:
        self._window.toolbar.search.setFocus()
        self._window.toolbar.search.selectAll()

    def show_live(self) -> None:
        if self._space is not None:
            self._space.docks.reveal("live")
            self._space.live.view.setFocus()

    def filter_live(self) -> None:
        if self._space is not None:
            self._space.docks.reveal("live")
            self._space.live.head.search.setFocus()

    def follow_live(self) -> None:
        if self._space is not None:
            self._space.docks.reveal("live")
            self._space.live.follow_newest()

    def clear_live(self) -> None:
        if self._space is not None:
            self._space.live.clear_finished()

    def turn_page(self, page: int) -> None:
        if self._space is not None and self._space.tool is not None:
            tool = self._space.tool
            tool.turn_to(type(tool.page)(page))
            tool.setFocus()

    def next_document(self, step: int) -> None:
        if self._space is not None:
            self._space.documents.step(step)

    def close_document(self) -> None:
        if self._space is not None:
            self._space.documents.close_front()

    def ask_document(self, what: str) -> None:
        if self._space is not None:
            self._space.offers()[what]()

    def document_offers(self, what: str) -> bool:
        return self._space is not None and what in self._space.offers()

    def set_mode(self, mode: Mode) -> None:
        self._window.set_mode(mode)

    def is_mode(self, mode: Mode) -> bool:
        return self._window.settings.mode is mode

    def larger_text(self) -> None:
        size = text_size.larger(self._window.text_size)
        if size is not None:
            self._window.set_text_size(size)

    def smaller_text(self) -> None:
        size = text_size.smaller(self._window.text_size)
        if size is not None:
            self._window.set_text_size(size)

    def normal_text(self) -> None:
        self._window.set_text_size(text_size.NORMAL)

    def why_no_larger_text(self) -> str:
        size = text_size.larger(self._window.text_size)
        if size is None:
            return "it is the largest"
        return "" if self._window.has_room_at(size) else "the screen has no room for it; hide a panel first"

    def why_no_smaller_text(self) -> str:
        return "" if text_size.smaller(self._window.text_size) is not None else "it is the smallest"

    def toggle_panel(self, id: str) -> None:
        if self._space is not None:
            self._space.docks.toggle(id)

    def arrange_panels(self) -> None:
        if self._space is not None:
            self._space.docks.arrange()

    def put_panels_back(self) -> None:
        if self._space is not None:
            self._space.docks.put_back()

    def next_panel(self) -> None:
        """Go on from the panel that has the keyboard to the one after it."""
        if self._space is not None:
            self._space.focus_next_panel()

    def dismiss(self) -> None:
        """Close what the window said last."""
        self._window.notices.dismiss()

    def take_offer(self) -> None:
        """Do what the message in view offers."""
        self._window.notices.take_offer()

    def why_nothing_offered(self) -> str:
        return "" if self._window.notices.offer is not None else "no message offers anything"

    def why_nothing_said(self) -> str:
        return "" if self._window.notices.shown else "no message is shown"

    def leave(self) -> None:
        self._window.close()

    def leave_all(self) -> None:
        self._window.close_all()

    def why_not_open(self) -> str:
        return "" if self._space is not None else "open a project first"

    def why_no_tool(self) -> str:
        return "" if self._space is not None and self._space.tool is not None else "open a tool first"

    def why_nothing_to_run(self) -> str:
        runs = self._space is not None and (self._space.tool or self._space.runnable) is not None
        return "" if runs else "open a tool or a code pad first"

    def why_no_document(self) -> str:
        has = self._space is not None and self._space.documents.front is not None
        return "" if has else "no document is open"

    def why_no_call_to(self, action: str) -> str:
        if self._space is None:
            return self.why_not_open()
        if action == "stop" and self._is_about_code():
            return ""
        if action != "again":
            return self._space.chosen.why_not(action)
        return "" if self.document_offers("again-call") else self._space.chosen.why_not_again()
