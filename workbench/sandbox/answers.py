"""What a run of a definition file came to, as the values of the host's port."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from workbench.base.json_pointer import unescaped
from workbench.domain.definitions import DefinitionFile, Diagnostic, LoadedFile, Severity
from workbench.engine.ports import HostAnswer, Raised, Returned, ReturnedAttachment, Stopped
from workbench.sandbox.import_places import missing_export
from workbench.sandbox.results import CodeError, CodeResult
from workbench.sandbox.traces import places, traced_json

_DEFAULT = re.compile(r"\s*export\s+default\b|\s*export\s*\{.*\bas\s+default\b")


Traced = Callable[[str], str]
"""A stack in its author's terms."""
Named = Callable[[str, str], str]
"""The words of an error, of its own and its stack."""


def answered(file: DefinitionFile, result: CodeResult, traced: Traced, named: Named) -> HostAnswer:
    """A call, or an evaluation."""
    if result.status == "terminated":
        return Stopped((f"{file.name} (in the sandbox)",))
    if result.status != "success" or not isinstance(result.value, Mapping):
        return _undone(result)
    fields = cast("Mapping[str, object]", result.value)
    if fields["answer"] == "raised":
        return Raised(
            kind=str(fields["kind"]),
            type=str(fields["type"]),
            message=named(str(fields["message"]), str(fields["stack"])),
            stack=traced(str(fields["stack"])),
            transient=fields["transient"] is True,
        )
    text, value, stack = fields.get("text"), fields.get("json"), str(fields.get("stack") or "")
    if fields.get("isHandedOn") is not True:  # else another tool's, which is traced
        text = traced(text) if isinstance(text, str) and "    at " in text else text
        value = traced_json(value, traced) if isinstance(value, str) else value
        stack = traced(stack)
    attachments = cast("Sequence[Mapping[str, object]]", fields.get("attachments") or ())
    return Returned(
        shape=str(fields["shape"]),
        is_error=fields.get("isError") is True,
        text=text.encode() if isinstance(text, str) else b"",
        json=value.encode() if isinstance(value, str) else None,
        stack=stack,
        attachments=tuple(_attachment(one) for one in attachments),
    )


def _attachment(fields: Mapping[str, object]) -> ReturnedAttachment:
    data, path = fields.get("data"), fields.get("path")
    return ReturnedAttachment(
        name=str(fields["name"]),
        mime_type=str(fields["mimeType"]),
        data=data.encode() if isinstance(data, str) else None,
        path=path if isinstance(path, str) else None,
        width=_pixels(fields.get("width")),
        height=_pixels(fields.get("height")),
    )


def _pixels(value: object) -> int | None:
    return int(value) if isinstance(value, (int, float)) else None


def _undone(result: CodeResult) -> Raised:
    """A run that gave no answer: the file did not load, or the sandbox ended it."""
    error = result.error or CodeError(name="Error", message=_WORDS.get(result.status, "The run ended."))
    kind = "load_error" if result.status == "error" else "tool_error"
    return Raised(kind, error.name, _WORDS.get(result.status) or error.message, stack=error.stack)


_WORDS = {
    "stack_overflow": "The tool called itself too deeply: the stack overflowed.",
    "never_settled": "The tool awaits a promise that nothing can settle any more.",
}


def loaded(
    file: DefinitionFile,
    result: CodeResult,
    *,
    source: str,
    depends_on: tuple[str, ...],
    traced: Traced,
    import_seconds: float,
) -> LoadedFile:
    """A described file, or what is wrong with it."""
    if result.status == "terminated":
        words = f"The file was still being imported after {import_seconds:g} seconds."
        hint = "Move slow work from module level into execute, or import only the part of a package that is used."
        return not_loaded(file, "import-timeout", words, hint)
    if result.status != "success" or not isinstance(result.value, Mapping):
        return _unloadable(file, result, source, depends_on)
    fields = cast("Mapping[str, Mapping[str, object]]", result.value)
    if "problem" in fields:
        problem = fields["problem"]
        hint = "Write export default defineTool({ … }), or the define… call of the folder."
        return not_loaded(
            file, str(problem["code"]), str(problem["message"]), hint, line=1, depends_on=depends_on
        )
    raw = dict(fields["raw"])
    stack = str(raw.pop("stack", ""))
    raw["line"] = definition_line(source) or place_in(file.path, traced(stack))[0] or 1
    return LoadedFile(file=file, raw=raw, problems=tuple(_lost(file, raw, source)), depends_on=depends_on)


def is_steady(result: CodeResult) -> bool:
    """Whether a described file would be described so at another time, too: it asked for no clock and no chance."""
    if not isinstance(result.value, Mapping):
        return False
    return cast("Mapping[str, object]", result.value).get("isSteady") is True


def _unloadable(
    file: DefinitionFile, result: CodeResult, source: str, depends_on: tuple[str, ...]
) -> LoadedFile:
    error = result.error or CodeError(name="Error", message=result.status)
    words, _, hint = error.message.partition("\n") if _is_refused(error) else (error.message, "", "")
    code, message = "import-error", _WORDS.get(result.status) or f"{error.name}: {words}"
    if error.name == "SyntaxError" and error.line and missing_export(error.message) is None:
        code = "syntax-error"
    elif error.name == "DefinitionError":
        code, message = "old-form" if "older form" in error.message else "bad-field", error.message
    line, column = place_in(file.path, error.stack)
    if error.file == file.path:
        line, column = error.line, error.column
        message = message.replace(f"ReferenceError: {file.path} imports ", "It imports ", 1)
        if error.name == "DefinitionError":
            line, column = _place_of_fault(source, error.message) or (line, column)
    elif error.file:
        message = f"{message.rstrip('.')} ({error.file}, line {error.line}, column {error.column})"
    return not_loaded(file, code, message, hint, line=line, column=column, depends_on=depends_on)


def _is_refused(error: CodeError) -> bool:
    """Whether an import led nowhere: what to do stands in a second line then."""
    return error.name == "ReferenceError" and " imports " in error.message


def _place_of_fault(source: str, message: str) -> tuple[int, int] | None:
    """Line and column of the field that a define… call does not know, else of the call: the engine places a call of
    several lines anywhere in it."""
    words = _FAULT.match(message)
    call = words and re.search(rf"\b{words[1]}\s*\(", source)
    if not words or not call:
        return None
    field = words[2] and re.compile(rf"""(["']?){re.escape(words[2])}\1\s*[:,(}}]""").search(
        source, call.end()
    )
    at = field.start() if field else call.start()
    return source.count("\n", 0, at) + 1, at - source.rfind("\n", 0, at)


_FAULT = re.compile(r"(define\w+)(?: has no field '([^']*)')?")


def _lost(file: DefinitionFile, raw: Mapping[str, object], source: str) -> Sequence[Diagnostic]:
    """What a zod schema asks for that JSON Schema cannot say: the engine does not check it, the tool does."""
    schemas = cast("Mapping[str, Mapping[str, object]]", raw["schemas"])
    return [
        Diagnostic(
            code="schema-part-lost",
            severity=Severity.INFO,
            path=file.path,
            name=file.name,
            line=_line_of_field(source, part["place"]) or cast("int", raw["line"]),
            message=f"{name}{part['place'].rstrip('/')} is {part['what']}, which JSON Schema cannot say.",
            hint="A model and the form do not know of it; the tool's own schema checks it when it is called.",
        )
        for name, schema in schemas.items()
        for part in cast("Sequence[Mapping[str, str]]", schema.get("lost") or ())
    ]


def _line_of_field(source: str, place: str) -> int | None:
    """Where the author writes the field that a place in a schema belongs to, if that is there once only."""
    fields = re.findall(r"/properties/([^/]+)", place)
    if not fields:
        return None
    field = unescaped(fields[-1])
    found = list(re.finditer(rf"""(?<![\w$.])(["']?){re.escape(field)}\1\s*:""", source))
    return source.count("\n", 0, found[0].start()) + 1 if len(found) == 1 else None


def not_loaded(
    file: DefinitionFile,
    code: str,
    message: str,
    hint: str = "",
    *,
    line: int | None = None,
    column: int | None = None,
    depends_on: tuple[str, ...] = (),
) -> LoadedFile:
    problem = Diagnostic(
        severity=Severity.ERROR,
        path=file.path,
        name=file.name,
        code=code,
        message=message,
        hint=hint,
        line=line,
        column=column,
    )
    return LoadedFile(file=file, problems=(problem,), depends_on=depends_on)


def definition_line(source: str) -> int | None:
    """Where the default export stands: the engine places a call of several lines at its last."""
    for number, line in enumerate(source.splitlines(), 1):
        if _DEFAULT.match(line):
            return number
    return None


def place_in(path: str, stack: str) -> tuple[int | None, int | None]:
    """Line and column of the outermost frame of a stack that lies in a file."""
    found = [(line, column) for file, line, column in places(stack) if file == path]
    return found[-1] if found else (None, None)
