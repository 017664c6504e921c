"""The commands of a code pad, as rows of the table of commands; the pad in front does them (`CodePad.offers`)."""

from __future__ import annotations

from workbench.gui.form.form_commands import FormCommand

_PAD, _CODE = "a code pad in front", "the code of a code pad in front"

PAD_COMMANDS = (
    FormCommand("stop-code", "Stop the code", "", "a code pad in front that runs", "stop"),
    FormCommand("pad-code", "Code of the pad", "", _PAD),
    FormCommand("pad-options", "Options of the run", "", _PAD),
    FormCommand("pad-tools", "Tools that the code may call", "", _PAD),
    FormCommand("pad-output", "What the run gave", "", _PAD),
    FormCommand("pad-import", "Insert the import of the tools", "", "a code pad in front with tools chosen"),
    FormCommand("pad-file", "Add a file to the code pad…", "", _CODE, "plus"),
    FormCommand("rename-pad-file", "Rename the file of the code pad…", "", _CODE),
    FormCommand("remove-pad-file", "Remove the file of the code pad…", "", f"{_CODE} with several files"),
    FormCommand("rename-pad", "Rename the code pad…", "", _PAD, "pencil"),
    FormCommand("discard-pad", "Go back to the saved code pad…", "", "a code pad in front that is not saved"),
    FormCommand("delete-pad", "Delete the code pad…", "", _PAD, "trash"),
)
