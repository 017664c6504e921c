"""The commands of a thread, as rows of the table of them; the thread in front does them (`ThreadDocument.offers`)."""

from __future__ import annotations

from workbench.gui.commands.offering import OfferedCommand

EDIT_KEYS, INSERT_KEYS = "F2", "Ctrl+Alt+I"
FORK_KEYS, RUN_FROM_KEYS = "Ctrl+Alt+F", "Ctrl+Alt+G"
"""Of what is done to a message, which its own menu tells, too."""

_FRONT, _MESSAGE = "open a thread first", "choose a message of a thread first"
_WAITS = "open a thread that waits for you as its model first"
_PAGES = ("Conversation", "Timeline", "Requests", "Files", "Values", "Variables", "Effects")
_REQUEST, _TIMELINE = "choose a request of a thread first", "open the timeline of a thread first"

THREAD_COMMANDS = (
    OfferedCommand("write", "Write a message", "Ctrl+M", _FRONT),
    OfferedCommand("send", "Send the message", "", "write a message in a thread first"),
    OfferedCommand("stop-thread", "Stop the thread", "Ctrl+Alt+S", "open a thread that runs first", "stop"),
    OfferedCommand(
        "go-on", "Continue the thread", "Ctrl+Shift+G", "open a thread that can go on first", "play"
    ),
    OfferedCommand("edit-message", "Edit the message…", EDIT_KEYS, _MESSAGE, "pencil"),
    OfferedCommand("insert-message", "Insert a message…", INSERT_KEYS, _FRONT, "plus"),
    OfferedCommand("delete-message", "Delete the message…", "", _MESSAGE, "trash"),
    OfferedCommand("fork-here", "Fork the thread at the message", FORK_KEYS, _MESSAGE, "branch"),
    OfferedCommand("run-from-here", "Run the thread from the message", RUN_FROM_KEYS, _MESSAGE, "play"),
    OfferedCommand("fork-thread", "Fork the whole thread", "", _FRONT, "branch"),
    OfferedCommand(
        "answer-question",
        "Answer as the model…",
        "Ctrl+Alt+A",
        "no thread waits for you as its model",
    ),
    OfferedCommand("send-answer", "Send the answer as the model", "", _WAITS),
    OfferedCommand("decline-answer", "Decline to answer as the model…", "", _WAITS),
    *(OfferedCommand(f"thread-{title.lower()}", f"{title} of the thread", "", _FRONT) for title in _PAGES),
    OfferedCommand(
        "compare-threads",
        "Compare threads…",
        "Ctrl+Alt+M",
        "open a thread first, or choose two in the navigator",
    ),
    OfferedCommand(
        "compare-original", "Compare the thread with its original", "", "open a fork or a replay first"
    ),
    OfferedCommand("save-script", "Save the thread as a script", "", _FRONT, "script"),
    OfferedCommand("replay-thread", "Replay the thread…", "", _FRONT, "loop"),
    OfferedCommand(
        "export-thread",
        "Export threads…",
        "",
        "open a thread first, or choose some in the navigator",
        "export",
    ),
    OfferedCommand("import-history", "Import a history…", "", "open a project first", "import"),
    OfferedCommand("copy-request", "Copy the request as JSON", "", _REQUEST, "copy"),
    OfferedCommand("copy-request-curl", "Copy the request as curl", "", _REQUEST, "copy"),
    OfferedCommand(
        "parent-thread",
        "Show the parent thread",
        "Ctrl+Alt+U",
        "open the thread of a subagent first",
    ),
    OfferedCommand(
        "source-thread",
        "Show the thread that it came of",
        "",
        "open a fork or a replay first",
        "arrow-up",
    ),
    OfferedCommand(
        "subagent",
        "Show the subagent's thread",
        "Ctrl+Alt+T",
        "open a thread that has a subagent first",
        "thread",
    ),
    OfferedCommand(
        "run-effect", "Run the effect now", "Ctrl+Alt+R", "choose an effect that waits first", "play"
    ),
    OfferedCommand(
        "replay-effect", "Run the effect again", "", "choose an effect that has ended first", "loop"
    ),
    OfferedCommand(
        "cancel-effect", "Cancel the effect", "", "choose an effect that waits or runs first", "stop"
    ),
    OfferedCommand(
        "effect-thread",
        "Show the thread of the effect",
        "",
        "choose a run in the page of an effect first",
    ),
    OfferedCommand("zoom-in", "Look closer at the timeline", "", _TIMELINE, "plus"),
    OfferedCommand("zoom-out", "Look at the timeline from further away", "", _TIMELINE, "minus"),
    OfferedCommand("zoom-all", "Show the whole timeline", "", _TIMELINE),
    OfferedCommand("terminate", "End the thread for good…", "", _FRONT),
    OfferedCommand("delete-thread", "Delete the thread…", "", _FRONT, "trash"),
)
