"""The commands of a code pad, as rows of the table of commands; the pad in front does them (`CodePad.offers`)."""

from __future__ import annotations

from workbench.gui.form.form_commands import FormCommand

_PAD, _CODE = "open a code pad first", "open the code of a code pad first"

PAD_COMMANDS = (
    FormCommand("stop-code", "Stop the code", "", "no code runs in a code pad in front", "stop"),
    FormCommand("pad-code", "Code of the pad", "", _PAD),
    FormCommand("pad-options", "Options of the run", "", _PAD),
    FormCommand("pad-tools", "Tools that the code may call", "", _PAD),
    FormCommand("pad-output", "What the run gave", "", _PAD),
    FormCommand("pad-import", "Insert the import of the tools", "", "choose tools in a code pad first"),
    FormCommand("pad-file", "Add a file to the code pad…", "", _CODE, "plus"),
    FormCommand("rename-pad-file", "Rename the file of the code pad…", "", _CODE),
    FormCommand(
        "remove-pad-file",
        "Remove the file of the code pad…",
        "",
        "open a code pad that has several files first",
    ),
    FormCommand("rename-pad", "Rename the code pad…", "", _PAD, "pencil"),
    FormCommand(
        "discard-pad",
        "Go back to the saved code pad…",
        "",
        "no code pad in front has changes that are not saved",
    ),
    FormCommand("delete-pad", "Delete the code pad…", "", _PAD, "trash"),
)
