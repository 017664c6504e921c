"""The sandbox build: the same inputs give the same bytes, nothing is built twice, licences are carried."""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.architecture.tree import ROOT
from workbench.base.paths import resources_dir

BUILT = resources_dir() / "sandbox"


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The build script as a module."""
    monkeypatch.setattr("sys.path", [str(ROOT / "packaging" / "sandbox"), *sys.path])
    return importlib.import_module("build")


def test_what_is_built_belongs_to_these_sources_and_is_as_the_manifest_says(build: ModuleType) -> None:
    manifest = json.loads((BUILT / "manifest.json").read_text("utf-8"))

    assert manifest["key"] == build.content_key(), "build it again: python3 packaging/sandbox/build.py"
    for name, one in manifest["files"].items():
        assert hashlib.sha256((BUILT / name).read_bytes()).hexdigest() == one["sha256"], name


@pytest.mark.parametrize("name", ["quickjs-ng", "wasi-libc", "musl", "zod", "@swc/wasm-typescript"])
def test_the_licences_of_what_is_inside_are_carried(name: str) -> None:
    notices = (BUILT / "NOTICES.txt").read_text("utf-8").split("-" * 100)

    assert f"\n{name}\n" in notices
    assert len(notices[notices.index(f"\n{name}\n") + 1]) > 500


def test_a_second_build_copies_what_the_first_made(
    build: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def kept(output: Path, cache: Path, key: str) -> None:
        output.mkdir(parents=True)
        (output / "manifest.json").write_text(json.dumps({"key": key, "files": {}}), "utf-8")

    monkeypatch.setattr(build, "_build", kept)
    build.build(tmp_path / "first", tmp_path / "cache")
    assert "Building the sandbox" in capfd.readouterr().out

    build.build(tmp_path / "second" / "sandbox", tmp_path / "cache")
    build.build(tmp_path / "second" / "sandbox", tmp_path / "other cache")

    assert capfd.readouterr().out == ""
    assert (tmp_path / "second" / "sandbox" / "manifest.json").exists()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_building_again_from_nothing_but_the_inputs_gives_the_same_bytes(
    build: ModuleType, tmp_path: Path
) -> None:
    build.build(tmp_path / "sandbox", tmp_path / "cache")

    again = json.loads((tmp_path / "sandbox" / "manifest.json").read_text("utf-8"))
    before = json.loads((BUILT / "manifest.json").read_text("utf-8"))
    assert again["files"] == before["files"]
