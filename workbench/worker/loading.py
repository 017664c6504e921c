"""Loading a definition file: run it as a module of the project, find its one definition, or say what is wrong."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from workbench import authoring
from workbench.authoring import DefinitionError
from workbench.authoring.definition import Definition, unknown_field
from workbench.worker.dependencies import Dependencies
from workbench.worker.faults import clean, message_of, own_frames, own_stack, project_path


class LoadError(Exception):
    """The file gives no definition. `problem` holds code, message, line, column, hint; `stack` the author's frames."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        hint: str = "",
        stack: str = "",
    ) -> None:
        super().__init__(message)
        self.problem = {
            "code": code,
            "message": clean(message),
            "line": line,
            "column": column,
            "hint": clean(hint),
        }
        self.stack = clean(stack)


class Loader:
    """The definitions that this worker has loaded, by path relative to the project."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._dependencies = Dependencies(root)
        self._definitions: dict[str, Definition] = {}
        self.depends_on: dict[str, list[str]] = {}
        """For each file that was loaded, or failed to, the project files it stands on."""

    def definition(self, path: str) -> Definition:
        """The file's definition, loaded at first need. Raises LoadError."""
        if path not in self._definitions:
            self._definitions[path] = self._load(path)
        return self._definitions[path]

    def files(self) -> list[str]:
        """Every file of the project that this process has run: a change of one makes it stale."""
        paths = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
        found = {project_path(path, self.root) for path in paths if isinstance(path, str)}
        return sorted({*filter(None, found), *self.depends_on})

    def _load(self, path: str) -> Definition:
        self.depends_on[path] = []
        file = str(Path(self.root, path))
        name = _module_name(path)
        tree, code = _compiled(file, path)
        try:
            module = sys.modules.get(name) or _run(name, file, code)
        except DefinitionError as error:
            raise self._load_error(error.code, error, path) from error
        except SystemExit as error:
            raise self._load_error("import-exit", error, path) from error
        except BaseException as error:
            raise self._load_error("import-error", error, path) from error
        finally:
            self.depends_on[path] = self._dependencies.of(file, tree, name.rpartition(".")[0])
        return _only_definition(module, file, _kind(path))

    def _load_error(self, code: str, error: BaseException, path: str) -> LoadError:
        lines = [
            line for frame_path, line, *_ in own_frames(error.__traceback__, self.root) if frame_path == path
        ]
        message = message_of(error)
        hint = ""
        if isinstance(error, SystemExit):
            message = f"The file called sys.exit({error.code!r}) while it was imported."
        elif setting := _wrong_setting(error):
            code, message = "bad-field", setting
        elif code == "import-error":
            message = f"{type(error).__name__}: {message}"
        if isinstance(error, SyntaxError) and error.filename:
            message += f" ({os.path.relpath(error.filename, self.root)}, line {error.lineno})"
        if isinstance(error, ModuleNotFoundError) and error.name:
            package = error.name.partition(".")[0]
            if not Path(self.root, package).exists():
                hint = _how_to_install(package, self.root)
        stack = own_stack(error, self.root)
        return LoadError(code, message, line=lines[-1] if lines else None, hint=hint, stack=stack)


def _wrong_setting(error: BaseException) -> str:
    """Words for a setting, such as PromptSide, that was given a field it does not have; "" for any other error."""
    found = _WRONG_FIELD.match(str(error)) if isinstance(error, TypeError) else None
    setting = getattr(authoring, found[1], None) if found else None
    if found is None or not is_dataclass(setting):
        return ""
    return unknown_field(found[1], found[2], [field.name for field in fields(setting)], {})


_WRONG_FIELD = re.compile(
    r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'"
)  # from Python 3.10 on


def _how_to_install(package: str, root: str) -> str:
    """Into the project's own environment, so that nothing changes for others."""
    here = f"{sys.executable} -m pip install {package}"
    if Path(root) in Path(sys.prefix).parents:
        return f"Install it for the project: {here}"
    own = f"python3 -m venv .venv && .venv/bin/pip install {package}"
    return (
        f"Give the project an environment of its own, run in its folder: {own}. Where tools run now: {here}"
    )


def _compiled(file: str, path: str) -> tuple[ast.Module, CodeType]:
    try:
        tree = ast.parse(Path(file).read_bytes(), filename=file)
        return tree, compile(tree, file, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise LoadError("syntax-error", error.msg, line=error.lineno, column=error.offset) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise LoadError("syntax-error", f"{path} cannot be parsed: {message_of(error)}.") from None
    except OSError as error:
        raise LoadError("import-error", f"{path} cannot be read: {error.strerror}.") from None


def _run(name: str, file: str, code: CodeType) -> ModuleType:
    """Execute the file as the module `name`, found by others under that name, as an import would."""
    spec: Any = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _module_name(path: str) -> str:
    """The name by which others would import the file; what is installed has its name from where it is installed."""
    _, _, installed = path.rpartition("-packages/")
    return (installed or path)[: -len(".py")].replace("/", ".")


def _kind(path: str) -> str:
    """What the folder says that its files define (D1)."""
    for folder in reversed(path.split("/")[:-1]):
        if folder in _EXAMPLES:
            return folder
    return "tools"


_EXAMPLES = {
    "tools": "tool = define_tool(description=…, execute=…), or @define_tool(description=…) on the function",
    "prompts": "prompt = define_prompt(name=…, tool_description=…, prompt=…, model=…)",
    "agents": "agent = define_agent(name=…, side_a=PromptSide(prompt=…), side_b=HumanSide())",
    "models": "model = define_model(name=…, provider=…, model=…)",
    "hooks": "@define_hook(hook=…, id=…) on the function",
    "effects": "@define_effect(description=…) on the function",
    "handlers": "@define_handler(description=…) on the function",
}


def _only_definition(module: ModuleType, file: str, folder: str) -> Definition:
    """The one module-level value that a define call of this file made; an imported one counts if it is alone."""
    found = {
        id(value): (name, value) for name, value in vars(module).items() if isinstance(value, Definition)
    }
    own = [(name, value) for name, value in found.values() if value.path == file]
    candidates = own or list(found.values())
    if not candidates:
        raise LoadError(
            "no-definition",
            f"No module-level value of this file is made by define_{folder[:-1]}.",
            line=1,
            hint=f"Write {_EXAMPLES[folder]}.",
        )
    if len(candidates) > 1:
        named = ", ".join(f"{name} (line {value.line})" for name, value in candidates)
        raise LoadError(
            "many-definitions",
            f"A file holds one definition; this one holds {len(candidates)}: {named}.",
            line=candidates[1][1].line,
            hint="Move each into a file of its own.",
        )
    return candidates[0][1]
