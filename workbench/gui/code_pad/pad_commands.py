"""The commands of a code pad, as rows of the table of commands; the pad in front does them (`CodePad.offers`)."""

from __future__ import annotations

from workbench.gui.commands.offering import OfferedCommand

_PAD, _CODE = "open a code pad first", "open the code of a code pad first"

PAD_COMMANDS = (
    OfferedCommand("stop-code", "Stop the code", "", "no code runs in a code pad in front", "stop"),
    OfferedCommand("pad-code", "Code of the pad", "", _PAD),
    OfferedCommand("pad-options", "Options of the run", "", _PAD),
    OfferedCommand("pad-tools", "Tools that the code may call", "", _PAD),
    OfferedCommand("pad-output", "What the run gave", "", _PAD),
    OfferedCommand("pad-import", "Insert the import of the tools", "", "choose tools in a code pad first"),
    OfferedCommand("pad-file", "Add a file to the code pad…", "", _CODE, "plus"),
    OfferedCommand("rename-pad-file", "Rename the file of the code pad…", "", _CODE),
    OfferedCommand(
        "remove-pad-file",
        "Remove the file of the code pad…",
        "",
        "open a code pad that has several files first",
    ),
    OfferedCommand("rename-pad", "Rename the code pad…", "", _PAD, "pencil"),
    OfferedCommand(
        "discard-pad",
        "Go back to the saved code pad…",
        "",
        "no code pad in front has changes that are not saved",
    ),
    OfferedCommand("delete-pad", "Delete the code pad…", "", _PAD, "trash"),
)
