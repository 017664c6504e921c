"""Which file an import of a project's TypeScript file means, by the rules of ES modules and their packages (D4)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from workbench.sandbox.manifest import Manifest, read_manifest
from workbench.sandbox.tsconfig import Aliases

_SUFFIXES = (".ts", ".mts", ".js", ".mjs", ".json", ".cjs", ".cts", ".tsx", ".jsx")
_TYPESCRIPT_OF = {".js": (".ts", ".tsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}
NOTHING = "workbench:nothing"
"""The name of an empty module: a package says that in a browser it does without the one it asked for."""

_NODE_MODULES = frozenset(
    (  # noqa: SIM905  (as a list it is a page long)
        "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain "
        "events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl "
        "stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib"
    ).split()
)


class ImportRefused(Exception):
    """An import that leads nowhere."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Module:
    """A module of a project: its name is its path in the project, with forward slashes and no links on its way."""

    name: str
    path: Path
    form: str
    """How its text is to be read: `typescript`, `javascript`, `json` or `commonjs`."""


class Resolver:
    """The modules of one project. It reads package.json and tsconfig.json afresh: make one for each load.

    `bounds` are words for what `root` is.
    """

    def __init__(self, root: Path, bounds: str = "the project") -> None:
        self._root = root.resolve()
        self._bounds = bounds
        self._manifests: dict[Path, Manifest | None] = {}
        # What many modules share is looked at once.
        self._packages: dict[str, Path] = {}
        self._inside: dict[Path, str | None] = {}
        self._aliases: Aliases | None = None
        self._asked: dict[str, None] = {}

    def resolve(self, specifier: str, importer: str) -> str:
        """The name of the module that `importer` (a module's name) means. Raises ImportRefused.

        What lies in the sandbox itself, the packages of both systems and zod, is not asked for here.
        """
        if specifier.startswith(("workbench:", "sb:")):
            raise ImportRefused(f"{importer} imports {specifier!r}, which only Workbench itself may.")
        if specifier.partition("/")[0] == "zod":
            raise _zod(specifier, importer)
        if specifier.startswith(("http:", "https:", "data:", "file:")):
            raise ImportRefused(f"{importer} imports {specifier!r}: modules come from the project only.")
        if specifier.startswith(("./", "../", "/")) or specifier in {".", ".."}:
            return self._in_browser(self._relative(specifier, importer))
        instead = self._instead(specifier, importer)
        if instead is not None:
            return instead
        if self._is_of_node(specifier, importer):
            raise ImportRefused(
                f"{importer} imports {specifier!r}, which only Node.js has.",
                "Files of the thread, fetch and state reach what a tool needs; a Python tool has it all.",
            )
        if specifier.startswith("#"):
            return self._own_import(specifier, importer)
        return self._in_browser(self._package(specifier, importer))

    def module(self, name: str) -> Module:
        """The file of a module that `resolve` named, or that is a definition's own path."""
        path = self._root / name
        suffix = path.suffix
        if suffix in {".ts", ".mts", ".cts", ".tsx"}:
            form = "typescript"
        elif suffix == ".json":
            form = "json"
        elif suffix == ".cjs" or (suffix == ".js" and self._is_commonjs(name)):
            form = "commonjs"
        else:
            form = "javascript"
        return Module(name, path, form)

    # --- files

    def _relative(self, specifier: str, importer: str) -> str:
        if specifier.startswith("/"):
            raise ImportRefused(f"{importer} imports {specifier!r}: a path begins with ./ or ../.")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))
        if target.startswith(".."):
            raise ImportRefused(f"{importer} imports {specifier!r}, which lies outside {self._bounds}.")
        found = self._file(self._root / target)
        if found is None:
            self._ask_for_file(self._root / target)
            raise ImportRefused(
                f"{importer} imports {specifier!r}, and there is no such file.",
                f"Looked for {target} with {', '.join(_SUFFIXES[:5])}, and for an index in a folder of that name.",
            )
        return found

    def _file(self, path: Path) -> str | None:
        """The module at a path as it was written, with a suffix guessed, or as a folder's index."""
        for candidate in self._candidates(path):
            if candidate.is_file():
                return self._name(candidate)
        return None

    def _candidates(self, path: Path) -> Iterator[Path]:
        if path.suffix in _SUFFIXES:
            yield path
        for suffix in _TYPESCRIPT_OF.get(path.suffix, ()):
            yield path.with_suffix(suffix)
        for suffix in _SUFFIXES:
            yield path.with_name(path.name + suffix)
        if path.is_dir():
            for suffix in _SUFFIXES:
                yield path / f"index{suffix}"

    def _name(self, path: Path) -> str:
        """By where the file really lies, as in Node.js: a package that is linked to finds those beside it.

        Raises ImportRefused for a link that leaves the project.
        """
        real = path.resolve() if path.is_symlink() else path
        inside = self._place_of(real.parent)
        if inside is None:
            shown = posixpath.relpath(path, self._root)
            raise ImportRefused(f"{shown} is, or is a link to, a file outside {self._bounds}.")
        return posixpath.join(inside, real.name)

    def _place_of(self, folder: Path) -> str | None:
        """Where in the project a folder really lies; None for one that lies outside."""
        if folder not in self._inside:
            real = folder.resolve()
            inside = real.relative_to(self._root).parts if real.is_relative_to(self._root) else None
            self._inside[folder] = None if inside is None else "/".join(inside)
        return self._inside[folder]

    # --- packages

    def _package(self, specifier: str, importer: str) -> str:
        parts = specifier.split("/")
        length = 2 if specifier.startswith("@") else 1
        name, inner = "/".join(parts[:length]), "/".join(parts[length:])
        for modules in self._node_modules(importer):
            if (modules / name).is_dir():
                return self._within(modules / name, inner, specifier, importer)
        led = next(self._led(specifier), None)
        if led is not None:
            self._ask_for_file(led)
        raise ImportRefused(
            f"{importer} imports {specifier!r}, which is not in the project's node_modules.",
            f"Install it in the project's folder: npm install {name}"
            if led is None
            else f"tsconfig.json leads it to {posixpath.relpath(led, self._root)}, where there is no such file.",
        )

    def _within(self, package: Path, inner: str, specifier: str, importer: str) -> str:
        target = (self._manifest(package) or Manifest()).target(inner)
        if target is None:
            raise ImportRefused(
                f"{importer} imports {specifier!r}, which the package does not export for ES modules."
            )
        inside = posixpath.normpath(target)
        found = None if inside.startswith(("..", "/")) else self._file(package / inside)
        if found is None:
            raise ImportRefused(f"{importer} imports {specifier!r}, and the package has no file {target}.")
        return found

    def _in_browser(self, name: str) -> str:
        """What a package puts in a file's place where there is no Node.js: the `browser` map of its package.json."""
        if "node_modules" not in name:
            return name
        package = self._package_of(name)
        if not (self._manifest(package) or Manifest()).in_browser:
            return name
        inner = PurePosixPath(name).relative_to(package.relative_to(self._root).as_posix())
        written = (f"./{inner}", f"./{inner.with_suffix('')}")
        return next((found for key in written if (found := self._mapped(package, key)) is not None), name)

    def _instead(self, specifier: str, importer: str) -> str | None:
        """Likewise for what is imported by a bare name, by a package; by the project's own files, what its
        tsconfig.json says."""
        if "node_modules" in importer:
            return self._mapped(self._package_of(importer), specifier)
        found = (self._file(target) for target in self._led(specifier))
        return next((name for name in found if name is not None), None)

    def _led(self, specifier: str) -> Iterator[Path]:
        if self._aliases is None:
            self._aliases = Aliases(self._root)
        return self._aliases.targets(specifier)

    @property
    def asked(self) -> Sequence[str]:
        """What was asked where an import leads, by its path in the project, there or not: package.json, tsconfig.json
        and what it extends, node_modules as a whole, and what a file could be that is missing."""
        return [*self._asked, *(self._aliases.files if self._aliases else ())]

    def _ask_for_file(self, path: Path) -> None:
        for candidate in (*self._candidates(path), *(path / f"index{suffix}" for suffix in _SUFFIXES)):
            self._ask(candidate)

    def _ask(self, path: Path) -> None:
        self._asked[posixpath.relpath(path, self._root)] = None

    def _mapped(self, package: Path, key: str) -> str | None:
        target = (self._manifest(package) or Manifest()).in_browser.get(key)
        if target is False:
            return NOTHING
        return self._file(package / target) if isinstance(target, str) and target.startswith("./") else None

    def _package_of(self, name: str) -> Path:
        """The folder of the package that a module lies in."""
        place = posixpath.dirname(name)
        if place not in self._packages:
            folder = self._root / place
            while (
                self._manifest(folder) is None
                and folder.parent.name != "node_modules"
                and folder != self._root
            ):
                folder = folder.parent
            self._packages[place] = folder
        return self._packages[place]

    def _own_import(self, specifier: str, importer: str) -> str:
        for folder in self._folders_above(importer):
            target = (self._manifest(folder) or Manifest()).imported(specifier) or ""
            found = self._file(folder / target) if target.startswith("./") else None
            if found is not None:
                return found
            if target and not target.startswith((".", "/", "#")):
                return self.resolve(target, importer)
        raise ImportRefused(f"{importer} imports {specifier!r}, which no package.json above it names.")

    def _is_of_node(self, specifier: str, importer: str) -> bool:
        """Some packages have the name of a module of Node.js, and stand in for it."""
        name = specifier.partition("/")[0]
        if specifier.startswith("node:") or name not in _NODE_MODULES:
            return specifier.startswith("node:")
        return not any((modules / name).is_dir() for modules in self._node_modules(importer))

    def _node_modules(self, importer: str) -> Iterator[Path]:
        for folder in self._folders_above(importer):
            self._ask(folder / "node_modules")
            # Written last by package managers that say nothing in node_modules.
            self._ask(folder / "package.json")
            yield folder / "node_modules"

    def _folders_above(self, importer: str) -> Iterator[Path]:
        folder = (self._root / importer).parent
        while folder.is_relative_to(self._root):
            if folder.name != "node_modules":
                yield folder
            folder = folder.parent

    def _is_commonjs(self, name: str) -> bool:
        """Only in packages: a project's own `.js` files are ES modules, whatever its package.json says."""
        if "node_modules" not in name.split("/"):
            return False
        return not (self._manifest(self._package_of(name)) or Manifest()).is_module

    def _manifest(self, folder: Path) -> Manifest | None:
        if folder not in self._manifests:
            if "node_modules" not in folder.parts:
                self._ask(folder / "package.json")
            self._manifests[folder] = read_manifest(folder)
        return self._manifests[folder]


def _zod(specifier: str, importer: str) -> ImportRefused:
    if specifier.startswith("zod/v3"):
        return ImportRefused(
            f"{importer} imports {specifier!r}: schemas need zod 4, and zod 3 gives no JSON Schema.",
            'Write import { z } from "zod".',
        )
    return ImportRefused(f"{importer} imports {specifier!r}.", 'Write import { z } from "zod".')
