"""What a code pad holds: its files, which tools they may call, and the options of a run as they were typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from workbench.base.errors import UserError
from workbench.domain.value import Value
from workbench.sandbox.modules import is_javascript, module_name

START = """\
// Press Ctrl+Enter to run. The value that is returned is shown below.
// Options has arguments and limits. Tools has what of this project the code may call.
export default async function () {
  console.log('The sandbox reaches nothing but what it is handed.');
  for (let step = 1; step <= 3; step++) report({ step });
  return { answer: 6 * 7 };
}
"""
"""What a new pad begins with."""
FIRST_FILE = "main.ts"
LONGEST_NAME = 80
_ENDINGS = (".ts", ".mts", ".js", ".mjs", ".json")


class PadFile(Value):
    """A module; the first one of a pad is run, the others it can import by `./name`."""

    name: str
    text: str


class PadContent(Value):
    """`tools` are names of the project's tools, `options` the draft of the form of a run (`pads.options`)."""

    files: tuple[PadFile, ...] = (PadFile(name=FIRST_FILE, text=START),)
    tools: tuple[str, ...] = ()
    options: Mapping[str, object] = {}

    def to_json(self) -> dict[str, object]:
        """As plain JSON data; the options are as the form gave them, numbers exact."""
        files = [file.to_json() for file in self.files]
        return {"files": files, "tools": list(self.tools), "options": self.options}


class PadInfo(Value):
    """A pad in a list. One that `is_saved` can go back to what was saved; a `has_draft` one holds more than that."""

    id: str
    name: str
    is_saved: bool
    has_draft: bool


class Pad(Value):
    """A pad whole: what was saved and what was typed since, either of which may not be there."""

    info: PadInfo
    saved: PadContent | None
    draft: PadContent | None

    @property
    def content(self) -> PadContent:
        """What to go on with."""
        return self.draft or self.saved or PadContent()


def content_from(value: object) -> PadContent:
    """Content as `PadContent.to_json` gave it. Raises ValueError."""
    if not isinstance(value, Mapping):
        raise ValueError("it is no code pad")  # noqa: TRY004 – of the file's text
    return PadContent.model_validate(dict(cast("Mapping[str, object]", value)))


def language_of(name: str) -> str:
    """The language that the name of a file says, in words."""
    return "JSON" if name.endswith(".json") else "JavaScript" if is_javascript(name) else "TypeScript"


def file_name(typed: str) -> str:
    """The name of a file as the sandbox takes it. Raises UserError."""
    name = module_name(typed.strip())
    if not name.endswith(_ENDINGS):
        raise UserError(f"{name} has no ending that says its language.", hint=f"Such as {name}.ts.")
    return name
