"""What the sandbox build wrote, and how it stands: there, or in one line what to do."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from workbench.base.errors import UserError
from workbench.base.paths import resources_dir

HOW_TO_BUILD = "Build it in the checkout: python3 packaging/sandbox/build.py"


class SandboxUnavailable(UserError):
    """JavaScript and TypeScript cannot run here: the sandbox was not built, or what was built is damaged."""


class SandboxComing(SandboxUnavailable):
    """It is being built at this moment."""


class Resources:
    """The built modules by name (`plain`, `tools`, `typescript`) and what the manifest says of them."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        self._folder = folder
        self._files: Mapping[str, Mapping[str, Any]] = manifest["files"]
        self.specifiers: Mapping[str, str] = manifest["specifiers"]
        """The frozen modules: specifier to the name in the image."""

    @classmethod
    def find(cls, folder: Path | None = None) -> Resources:
        """Those of this installation, or of another folder. Raises SandboxUnavailable."""
        folder = folder or resources_dir() / "sandbox"
        try:
            manifest: object = json.loads((folder / "manifest.json").read_text("utf-8"))
            return cls(folder, cast("Mapping[str, Any]", manifest))
        except FileNotFoundError:
            if _is_being_built(folder.parent.parent):
                raise SandboxComing(
                    "The sandbox for JavaScript and TypeScript is being built.",
                    hint="It takes minutes, once; an open window loads these files by itself then.",
                ) from None
            raise SandboxUnavailable(
                "The sandbox for JavaScript and TypeScript is not built on this machine.", hint=HOW_TO_BUILD
            ) from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise _damaged(str(error)) from error

    def module(self, name: str) -> bytes:
        """The bytes of a built module. Raises SandboxUnavailable."""
        try:
            data = (self._folder / f"{name}.wasm").read_bytes()
        except OSError as error:
            raise _damaged(str(error)) from error
        if len(data) != self._files[f"{name}.wasm"]["size"]:
            raise _damaged(f"{name}.wasm has another size than the manifest says")
        return data

    def content(self, name: str) -> str:
        """The hash that stands for a module's content."""
        return str(self._files[f"{name}.wasm"]["sha256"])


def why_unavailable() -> SandboxUnavailable | None:
    """Why no code can run in this installation; None where it can."""
    try:
        Resources.find()
    except SandboxUnavailable as why:
        return why
    return None


def _is_being_built(checkout: Path) -> bool:
    """Whether one of the checkout's two commands installs there: it holds this lock meanwhile."""
    try:
        handle = os.open(checkout, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _damaged(detail: str) -> SandboxUnavailable:
    return SandboxUnavailable(
        "What was built of the sandbox for JavaScript and TypeScript cannot be read.",
        hint=HOW_TO_BUILD,
        detail=detail,
    )
