"""The modules of one run of a definition file: ours, the project's own, and those of its packages."""

from __future__ import annotations

from pathlib import Path

from workbench.domain.definitions import Dialect
from workbench.sandbox.commonjs import as_es_module
from workbench.sandbox.modules import ModuleNotFound, json_module, text_of
from workbench.sandbox.resolution import ImportRefused, Resolver
from workbench.sandbox.sandbox import Sandbox
from workbench.sandbox.stopping import Stop
from workbench.sandbox.typescript import Transpiled

_PRIVATE = "workbench:"
ENTRY = f"{_PRIVATE}entry"
_DEFINITION = f"{_PRIVATE}definition"

_GLOBALS = f"{_PRIVATE}globals"
_GLOBALS_TEXT = "import { install } from 'workbench:environment'; install();"

_ENTRY_TEXT = """{more}import * as definition from '{definition}';
import {{ call, describe, evaluate }} from 'workbench:tools';
export const run = (operation, ...given) => ({{ call, describe, evaluate }})[operation](definition, ...given);
"""


class ProjectModules:
    """Fills the sandbox's `Modules` for one definition file, on the run's own thread.

    Making one raises SandboxUnavailable.

    `source` is the text of the file, `read` are the project's files that were loaded, packages left out: a change
    of one makes the run stale.
    """

    def __init__(self, root: Path, path: str, dialect: Dialect, sandbox: Sandbox) -> None:
        self._resolver = Resolver(root)
        self._path = path
        self._dialect = dialect
        self._sandbox = sandbox
        self._frozen = sandbox.specifiers
        self._commonjs: set[str] = set()
        self.read: list[str] = []
        self.source = ""

    def resolve(self, specifier: str, importer: str) -> str:
        if importer in (ENTRY, _GLOBALS):
            return self._path if specifier == _DEFINITION else specifier
        if specifier in self._frozen and not specifier.startswith(_PRIVATE):
            return specifier
        if specifier == "workbench:commonjs" and importer in self._commonjs:
            return specifier
        try:
            return self._resolver.resolve(specifier, importer)
        except ImportRefused as refused:
            raise ModuleNotFound(f"{refused.message} {refused.hint}".strip()) from None

    def load(self, name: str, stop: Stop) -> str | Transpiled:
        del stop  # compiling one file takes milliseconds
        if name == ENTRY:
            more = f"import '{_GLOBALS}';\n" if self._dialect is Dialect.AGENT_SDK else ""
            return _ENTRY_TEXT.format(more=more, definition=_DEFINITION)
        if name == _GLOBALS:
            return _GLOBALS_TEXT
        module = self._resolver.module(name)
        if "node_modules" not in module.path.parts:
            self.read.append(name)
        text = text_of(module.path, name)
        if name == self._path:
            self.source = text
        if module.form == "typescript":
            return self._sandbox.transpile(text, name)
        if module.form == "json":
            return json_module(text, name)
        if module.form == "commonjs":
            self._commonjs.add(name)
            return as_es_module(text, lambda specifier: self._is_there(specifier, name))
        return text

    def _is_there(self, specifier: str, importer: str) -> bool:
        try:
            self.resolve(specifier, importer)
        except ModuleNotFound:
            return False
        return True
