"""The commands of a tool's form, for the table of all commands and for the menu of inputs."""

from __future__ import annotations

from functools import partial

from workbench.gui.commands.offering import OfferedCommand

_of = partial(OfferedCommand, needs="open the form of a tool first")

FORM_COMMANDS = (
    _of("inputs", "Saved and earlier inputs", "Ctrl+Shift+I", icon="history"),
    _of("save-input", "Save input as…", "Ctrl+Shift+S"),
    _of("manage-inputs", "All saved inputs…", ""),
    _of("earlier", "Earlier input", "Alt+Up", icon="arrow-up"),
    _of("later", "Later input", "Alt+Down", icon="arrow-down"),
    _of("fill-sample", "Fill with sample data", "Ctrl+Shift+D"),
    _of("fill-required", "Fill what is required with sample data", ""),
    _of("paste", "Paste JSON or a tool call", "Ctrl+Shift+P"),
    _of("clear", "Clear form", ""),
    _of("undo-form", "Undo in the form", "Ctrl+Z", needs="nothing in a form was changed"),
    _of("redo-form", "Redo in the form", "Ctrl+Y", needs="nothing in a form was taken back"),
    _of("face", "Form or JSON", "Ctrl+Shift+J"),
    _of("copy-command", "Copy as command line", "Ctrl+Alt+C", icon="copy"),
    _of("copy-curl", "Copy as curl", "Ctrl+Alt+L", icon="copy"),
    _of("copy-python", "Copy as Python", "Ctrl+Alt+P", icon="copy"),
    _of("copy-json", "Copy as JSON", "Ctrl+Alt+J", icon="copy"),
)
