"""Imports go down only, and each foreign library has one home: the contracts of pyproject.toml hold and bite."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

from tests.architecture.tree import PACKAGE, ROOT

# May be imported by every layer above authoring.
EVERYWHERE = {"pydantic", "platformdirs"}
IMPORT_NAMES = {"pyside6-essentials": "PySide6"}


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
        "--no-cache",
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_every_import_goes_down() -> None:
    outcome = lint(ROOT)

    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert "0 broken" in outcome.stdout


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("domain/early.py", "import workbench.engine", "Imports go down only"),
        ("store/sideways.py", "import workbench.project", "Imports go down only"),
        ("base/lazy.py", "def late(): import workbench.domain", "Imports go down only"),
        (
            "schema/typed.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING: import workbench.app",
            "go down only",
        ),
        ("nowhere/__init__.py", "", "every package has its place"),
        ("authoring/curious.py", "import workbench.base", "knows nothing of Workbench but itself"),
        ("worker/heavy.py", "import pydantic", "knows nothing of Workbench but authoring"),
        ("app/drawing.py", "from PySide6.QtCore import QObject", "Qt and its loop live in gui"),
        ("hosts/query.py", "def late(): import sqlite3", "SQLite lives in store"),
    ],
)
def test_a_forbidden_import_breaks_a_contract(tmp_path: Path, file: str, line: str, contract: str) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(PACKAGE, tmp_path / "workbench", ignore=shutil.ignore_patterns("__pycache__"))
    offender = tmp_path / "workbench" / file
    offender.parent.mkdir(exist_ok=True)
    offender.write_text(f'"""Out of place."""\n{line}\n')

    outcome = lint(tmp_path)

    assert outcome.returncode != 0
    broken = " ".join(outcome.stdout.split("Broken contracts", 1)[-1].split())
    assert contract in broken, outcome.stdout


def test_every_dependency_has_a_home_in_the_contracts() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    names = {
        match.group().lower()
        for line in project["project"]["dependencies"]
        if (match := re.match(r"[\w-]+", line))
    }
    contracts = project["tool"]["importlinter"]["contracts"]
    homed = {
        module
        for contract in contracts
        for module in [*contract.get("protected_modules", ()), *contract.get("forbidden_modules", ())]
    }

    assert {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in names} <= homed | EVERYWHERE


@pytest.mark.parametrize("package", ["workbench.authoring", "workbench.worker"])
def test_what_runs_in_a_projects_interpreter_needs_the_standard_library_only(package: str) -> None:
    graph = grimp.build_graph("workbench", include_external_packages=True, cache_dir=None)
    modules = {package} | graph.find_descendants(package)
    imported = {
        name.split(".")[0] for module in modules for name in graph.find_modules_directly_imported_by(module)
    }

    assert imported - {"workbench"} <= sys.stdlib_module_names
