"""What documents do that are no form, pad or thread: sources, results, calls, connections, the server."""

from __future__ import annotations

from workbench.gui.commands.offering import OfferedCommand

_TEXT, _RESULT = "open a source or a result first", "open a call that has a result first"
_TOOL = "open a tool that can be called first"
_CONNECTION = "open a connection first"
_CONFLICT = "no source in front changed on disk while it has unsaved text"
_CALL = "open a call first, or choose one in a list"

DOCUMENT_COMMANDS = (
    OfferedCommand("debug", "Run under a debugger", "F5", "open a tool in Python that can be called first"),
    OfferedCommand("rerun", "Re-run on save", "Ctrl+Shift+R", _TOOL),
    OfferedCommand("save", "Save", "Ctrl+S", "nothing in front can be saved now"),
    OfferedCommand("find", "Find in the document…", "Ctrl+F", _TEXT, "search"),
    OfferedCommand("replace", "Find and replace…", "Ctrl+R", "open the source of a tool first"),
    OfferedCommand("line", "Go to line…", "Ctrl+G", _TEXT),
    OfferedCommand("compare-disk", "Compare with the text on disk", "", _CONFLICT),
    OfferedCommand("keep-mine", "Keep mine", "", _CONFLICT),
    OfferedCommand("take-theirs", "Take theirs", "", _CONFLICT),
    OfferedCommand("copy-all", "Copy the whole result", "Ctrl+Shift+C", _RESULT, "copy"),
    OfferedCommand("compare", "Compare with the previous result", "Ctrl+D", _RESULT),
    OfferedCommand("edit-again", "Edit and run again…", "Ctrl+Alt+Return", _CALL, "pencil"),
    OfferedCommand("compare-calls", "Compare calls…", "Ctrl+Alt+D", _CALL),
    OfferedCommand("next-difference", "Next difference", "F7", "open a comparison first", "arrow-down"),
    OfferedCommand(
        "previous-difference", "Difference before", "Shift+F7", "open a comparison first", "arrow-up"
    ),
    OfferedCommand("export-calls", "Export calls…", "", _CALL, "export"),
    OfferedCommand("delete-call", "Delete call…", "", _CALL, "trash"),
    OfferedCommand("connect", "Connect the connection anew", "", _CONNECTION, "loop"),
    OfferedCommand(
        "start-server", "Start the server", "", "open the server first, while it is stopped", "play"
    ),
    OfferedCommand("stop-server", "Stop the server", "", "open the server first, while it runs", "stop"),
    OfferedCommand(
        "copy-server-url", "Copy the server's address", "", "open the server first, while it runs", "copy"
    ),
    OfferedCommand(
        "copy-server-token", "Copy the server's token", "", "open the server first, while it runs", "copy"
    ),
    OfferedCommand(
        "disconnect", "Stop the connection", "", "open a connection that is not stopped first", "stop"
    ),
    OfferedCommand("retention", "How much history is kept…", "", "open the list of all calls first (Ctrl+H)"),
)
