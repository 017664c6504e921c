"""The lock files pin what pyproject.toml asks for, by hash, and speak of no place to fetch it from."""

from __future__ import annotations

import importlib
import re
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


@pytest.mark.parametrize("extra", [None, "openai", "anthropic", "google", "dev"])
def test_every_requirement_is_pinned_at_a_version_that_fits(extra: str | None) -> None:
    project = tomllib.loads(read("pyproject.toml"))
    if extra is None:
        wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    else:
        wanted = project["project"]["optional-dependencies"][extra]
    pinned = versions(*LOCKS) if extra == "dev" else versions(LOCKS[0])

    for line in wanted:
        requirement = Requirement(line)
        assert pinned.get(canonicalize_name(requirement.name), "missing") in requirement.specifier, line


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
