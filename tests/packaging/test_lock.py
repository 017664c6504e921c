"""The lock files pin what pyproject.toml asks for, by hash, and speak of no place to fetch it from."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.tree import ROOT

LOCKS = ("requirements.lock", "packaging/requirements-dev.lock")


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def versions(*names: str) -> dict[str, str]:
    pins = (
        match
        for name in names
        for match in re.finditer(r"^([a-z0-9-]+)==([^\s;]+)", read(name), re.MULTILINE)
    )
    return {pin.group(1): pin.group(2) for pin in pins}


def wanted() -> dict[str, list[Requirement]]:
    """What pyproject.toml asks for, by extra; "" is what the package always needs, and its build."""
    project = tomllib.loads(read("pyproject.toml"))
    always = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    extras = project["project"]["optional-dependencies"]
    return {extra: list(map(Requirement, lines)) for extra, lines in {"": always, **extras}.items()}


@pytest.mark.parametrize("extra", sorted(wanted().keys() - {"all"}))
def test_every_requirement_is_pinned_at_a_version_that_fits(extra: str) -> None:
    pinned = versions(*LOCKS) if extra == "dev" else versions(LOCKS[0])

    for requirement in wanted()[extra]:
        pin = pinned.get(canonicalize_name(requirement.name), "missing")
        assert pin in requirement.specifier, str(requirement)


def test_what_each_requirement_is_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [str(ROOT / "packaging" / "sandbox"), *sys.path])
    words = re.split(r"[^\w@/-]+", read("packaging/DEPENDENCIES.md"))
    named = {requirement.name for extra, lines in wanted().items() if extra != "all" for requirement in lines}
    built_from = importlib.import_module("inputs").versions()

    assert {*named, *built_from} - set(words) == set()


def test_no_package_is_pinned_in_both_files() -> None:
    assert versions(LOCKS[0]).keys() & versions(LOCKS[1]).keys() == set()


@pytest.mark.parametrize("name", [*LOCKS, "packaging/requirements-peers.lock"])
def test_every_line_is_a_pin_or_a_hash(name: str) -> None:
    pin = re.compile(r"[a-z0-9-]+==[\w.]+( ; [\w'\" .<>=!()]+)? \\")
    digest = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")

    assert [
        line for line in read(name).splitlines() if not pin.fullmatch(line) and not digest.fullmatch(line)
    ] == []


def test_a_lock_file_is_read_back_pin_by_pin(scripts: ModuleType) -> None:
    text = read(LOCKS[0])

    assert "".join(importlib.import_module("lock").pins(text).values()) == text
