"""The modules of one run of a definition file: ours, the project's own, and those of its packages."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from workbench.domain.definitions import Dialect
from workbench.sandbox.commonjs import as_es_module, is_es_module
from workbench.sandbox.descriptions import Trace
from workbench.sandbox.import_places import missing_export
from workbench.sandbox.modules import ModuleNotFound, json_module, text_of
from workbench.sandbox.resolution import NOTHING, ImportRefused, Resolver
from workbench.sandbox.sandbox import Sandbox
from workbench.sandbox.stopping import Stop
from workbench.sandbox.typescript import Transpiled

_PRIVATE = "workbench:"
ENTRY = f"{_PRIVATE}entry"
_DEFINITION = f"{_PRIVATE}definition"

_GLOBALS = f"{_PRIVATE}globals"
_PROCESS_TEXT = "import { install } from 'workbench:environment'; install();"
_WATCH_TEXT = "import { watch } from 'workbench:watching'; watch();"

_MODE = "process.env.NODE_ENV"
_PRODUCTION = '"production"'.ljust(len(_MODE))
"""What bundlers write in its place in packages, as long so that columns stay."""

_ENTRY_TEXT = """import '{globals}';
import * as definition from '{definition}';
import {{ call, describe, evaluate }} from 'workbench:tools';
export const run = (operation, ...given) => ({{ call, describe, evaluate }})[operation](definition, ...given);
"""


class AskedNames:
    """Names that imports ask of packages in CommonJS whose text does not show them; learned when they are missed."""

    def __init__(self) -> None:
        # Sets that stay as they are: runs of one file read them in their own threads while another learns.
        self._names: dict[str, frozenset[str]] = {}

    def of(self, module: str) -> Collection[str]:
        return self._names.get(module, frozenset())

    def learn(self, module: str, name: str) -> bool:
        """Whether it was not known."""
        known = self._names.get(module, frozenset())
        self._names[module] = known | {name}
        return name not in known


class ProjectModules:
    """Fills the sandbox's `Modules` for one definition file, on the run's own thread.

    Making one raises SandboxUnavailable. With `watches` it is seen what the file asks for while it is loaded.

    `source` is the text of the file, `trace` is all that the run stood on.
    """

    def __init__(
        self,
        root: Path,
        path: str,
        dialect: Dialect,
        sandbox: Sandbox,
        asked: AskedNames,
        *,
        watches: bool = False,
    ) -> None:
        self._asked = asked
        self._resolver = Resolver(root)
        self._path = path
        has_process = dialect is Dialect.AGENT_SDK
        self._globals = (_PROCESS_TEXT if has_process else "") + (_WATCH_TEXT if watches else "")
        self._sandbox = sandbox
        self._frozen = sandbox.specifiers
        self._commonjs: set[str] = set()
        self.trace = Trace()
        self._read: list[str] = []
        self.source = ""

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The project's files that were read or asked, packages as a whole: a change of one makes the run stale."""
        return (*self._read, *self._resolver.asked)

    def learn(self, message: str) -> bool:
        """Whether a run failed with these words for a name that another run can be given: nothing was run yet."""
        missing = missing_export(message)
        return (
            missing is not None
            and missing.module in self._commonjs
            and self._asked.learn(missing.module, missing.name)
        )

    def resolve(self, specifier: str, importer: str) -> str:
        if importer in (ENTRY, _GLOBALS):
            return self._path if specifier == _DEFINITION else specifier
        if specifier in self._frozen and not specifier.startswith(_PRIVATE):
            return specifier
        if specifier == "workbench:commonjs" and importer in self._commonjs:
            return specifier
        try:
            name = self._resolver.resolve(specifier, importer)
        except ImportRefused as refused:
            self.trace.resolved(specifier, importer, None)
            raise ModuleNotFound(f"{refused.message}\n{refused.hint}".strip()) from None
        self.trace.resolved(specifier, importer, name)
        return name

    def load(self, name: str, stop: Stop) -> str | Transpiled:
        del stop  # compiling one file takes milliseconds
        if name == ENTRY:
            return _ENTRY_TEXT.format(globals=_GLOBALS, definition=_DEFINITION)
        if name == _GLOBALS:
            return self._globals
        if name == NOTHING:
            return "export default {};"
        module = self._resolver.module(name)
        if "node_modules" not in module.path.parts:
            self._read.append(name)
        text = text_of(module.path, name)
        self.trace.read(module, text)
        if name == self._path:
            self.source = text
        if module.form == "typescript":
            return self._sandbox.transpile(text, name)
        if module.form == "json":
            return json_module(text, name)
        if module.form == "commonjs" and not (name.endswith(".js") and is_es_module(text)):
            self._commonjs.add(name)
            asked = self._asked.of(name)
            return as_es_module(text, lambda specifier: self._is_there(specifier, name), asked)
        return text.replace(_MODE, _PRODUCTION) if "node_modules" in module.path.parts else text

    def _is_there(self, specifier: str, importer: str) -> bool:
        try:
            self.resolve(specifier, importer)
        except ModuleNotFound:
            return False
        return True
