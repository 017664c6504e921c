"""The commands of a tool's form, for the table of all commands and for the menu of inputs."""

from __future__ import annotations

from typing import NamedTuple


class FormCommand(NamedTuple):
    """One thing that can be asked of a document with a form in front; `needs` says what to do where there is none."""

    id: str
    title: str
    keys: str
    needs: str = "open the form of a tool first"
    icon: str = ""


FORM_COMMANDS = (
    FormCommand("inputs", "Saved and earlier inputs", "Ctrl+Shift+I", icon="history"),
    FormCommand("save-input", "Save input as…", "Ctrl+Shift+S"),
    FormCommand("manage-inputs", "All saved inputs…", ""),
    FormCommand("earlier", "Earlier input", "Alt+Up", icon="arrow-up"),
    FormCommand("later", "Later input", "Alt+Down", icon="arrow-down"),
    FormCommand("fill-sample", "Fill with sample data", "Ctrl+Shift+D"),
    FormCommand("fill-required", "Fill what is required with sample data", ""),
    FormCommand("paste", "Paste JSON or a tool call", "Ctrl+Shift+P"),
    FormCommand("clear", "Clear form", ""),
    FormCommand("undo-form", "Undo in the form", "Ctrl+Z", "nothing in a form was changed"),
    FormCommand("redo-form", "Redo in the form", "Ctrl+Y", "nothing in a form was taken back"),
    FormCommand("face", "Form or JSON", "Ctrl+Shift+J"),
    FormCommand("copy-command", "Copy as command line", "Ctrl+Alt+C", icon="copy"),
    FormCommand("copy-curl", "Copy as curl", "Ctrl+Alt+L", icon="copy"),
    FormCommand("copy-python", "Copy as Python", "Ctrl+Alt+P", icon="copy"),
    FormCommand("copy-json", "Copy as JSON", "Ctrl+Alt+J", icon="copy"),
)
