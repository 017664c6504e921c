"""The set-up scripts are no package: tests take them as modules from their folder."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

from tests.architecture.tree import ROOT


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module `setup_environment`, as run.py and test.py import it."""
    monkeypatch.setattr("sys.path", [str(ROOT / "packaging"), *sys.path])
    return importlib.import_module("setup_environment")


@pytest.fixture
def system_packages(scripts: ModuleType) -> ModuleType:
    """The module that looks for and installs what the operating system must bring."""
    return importlib.import_module("system_packages")
