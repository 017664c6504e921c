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
EVERYWHERE = {"pydantic", "pydantic_core"}
IMPORT_NAMES = {"pyside6-essentials": "PySide6", "python-dotenv": "dotenv"}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Who imports whom, other packages included."""
    return grimp.build_graph("workbench", include_external_packages=True, cache_dir=None)


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


# A file out of place, what it holds, the contract it breaks, and how the report names it.
OFFENDERS = [
    ("domain/early.py", "import workbench.engine", "Imports go down only", "workbench.domain.early ->"),
    ("store/sideways.py", "import workbench.project", "Imports go down only", "workbench.store.sideways ->"),
    ("base/lazy.py", "def late(): import workbench.domain", "Imports go down only", "workbench.base.lazy ->"),
    (
        "schema/typed.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING: import workbench.app",
        "Imports go down only",
        "workbench.schema.typed ->",
    ),
    ("nowhere/__init__.py", "", "every package has its place", "workbench.nowhere"),
    (
        "authoring/curious.py",
        "import workbench.base",
        "nothing of Workbench but itself",
        "workbench.authoring.curious ->",
    ),
    ("worker/heavy.py", "import pydantic", "nothing of Workbench but authoring", "workbench.worker.heavy ->"),
    (
        "app/drawing.py",
        "from PySide6.QtCore import QObject",
        "Qt and its loop live in gui",
        "workbench.app.drawing",
    ),
    (
        "gui/results/upward.py",
        "from workbench.gui.window import opener",
        "each imports only what lies below it",
        "workbench.gui.results.upward ->",
    ),
    ("hosts/query.py", "def late(): import sqlite3", "SQLite lives in store", "workbench.hosts.query"),
]


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report on a copy of the tree with every offender in it, as one line of words."""
    folder = tmp_path_factory.mktemp("offended")
    shutil.copy(ROOT / "pyproject.toml", folder)
    shutil.copytree(PACKAGE, folder / "workbench", ignore=shutil.ignore_patterns("__pycache__"))
    for file, lines, _, _ in OFFENDERS:
        offender = folder / "workbench" / file
        offender.parent.mkdir(exist_ok=True)
        offender.write_text(f'"""Out of place."""\n{lines}\n', "utf-8")
    outcome = lint(folder)
    assert outcome.returncode != 0
    return " ".join(outcome.stdout.split("Broken contracts", 1)[-1].split())


@pytest.mark.parametrize(("contract", "named"), [(contract, named) for _, _, contract, named in OFFENDERS])
def test_a_forbidden_import_breaks_its_contract(broken: str, contract: str, named: str) -> None:
    assert contract in broken
    assert named in broken


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
HOMED = {
    module
    for contract in PROJECT["tool"]["importlinter"]["contracts"]
    for module in [*contract.get("protected_modules", ()), *contract.get("forbidden_modules", ())]
}


def test_every_dependency_has_a_home_in_the_contracts() -> None:
    names = {
        match.group().lower()
        for line in PROJECT["project"]["dependencies"]
        if (match := re.match(r"[\w-]+", line))
    }

    assert {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in names} <= HOMED | EVERYWHERE


def test_every_foreign_library_that_is_imported_has_a_home_in_the_contracts(graph: grimp.ImportGraph) -> None:
    imported = {name.split(".")[0] for name in graph.modules} - {"workbench"} - sys.stdlib_module_names

    assert imported - HOMED - EVERYWHERE == set()


@pytest.mark.parametrize(
    ("package", "optional"),
    [
        ("workbench.authoring", set[str]()),
        ("workbench.worker", {"pydantic"}),
    ],  # the project's own, if it has it
)
def test_what_runs_in_a_projects_interpreter_needs_the_standard_library_only(
    graph: grimp.ImportGraph, package: str, optional: set[str]
) -> None:
    modules = {package} | graph.find_descendants(package)
    imported = {
        name.split(".")[0] for module in modules for name in graph.find_modules_directly_imported_by(module)
    }

    assert imported - {"workbench"} - optional <= sys.stdlib_module_names
