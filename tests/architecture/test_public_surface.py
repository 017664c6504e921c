"""What others may build on is a kept list: a name that comes or goes is seen in the change that does it."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import workbench
import workbench.authoring
from tests.architecture.tree import TESTS

KEPT = TESTS / "architecture" / "public_surface.txt"
# Meant for definition files and for programs that embed Workbench; every name of theirs is a promise.
PROMISED = {"workbench", "workbench.authoring", "workbench.app"}


def offered() -> dict[str, list[str]]:
    """`__all__` of every package that has one."""
    packages = [
        "workbench",
        *(f"workbench.{found.name}" for found in pkgutil.iter_modules(workbench.__path__) if found.ispkg),
    ]
    surfaces = {
        name: getattr(importlib.import_module(name), "__all__", ()) for name in ["workbench", *packages]
    }
    return {name: list(surface) for name, surface in surfaces.items() if surface}


def test_the_public_names_are_those_of_the_kept_list() -> None:
    names = sorted(f"{package}.{name}" for package, surface in offered().items() for name in surface)

    assert names == KEPT.read_text("utf-8").splitlines(), f"if this is meant, write it into {KEPT.name}"


def test_what_is_promised_to_others_is_listed() -> None:
    assert offered().keys() >= PROMISED


def test_every_public_name_is_there() -> None:
    missing = [
        f"{package}.{name}"
        for package, surface in offered().items()
        for name in surface
        if not hasattr(importlib.import_module(package), name)
    ]

    assert missing == []


@pytest.mark.rule("D4")
def test_the_package_offers_what_definition_files_import_and_nothing_else() -> None:
    assert workbench.__all__ == workbench.authoring.__all__
    for name in workbench.__all__:
        assert getattr(workbench, name) is getattr(workbench.authoring, name)
