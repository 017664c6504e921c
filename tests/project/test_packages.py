"""Which packages of definitions a project has, and what is wrong with their own files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.project.conftest import Write
from workbench.domain.packages import Package
from workbench.project.discovery import Discovery
from workbench.project.packages import Packages


def package_json(*agents: str) -> str:
    return json.dumps({"name": "other", "standardagent": {"entryAgents": agents}})


@pytest.mark.rule("D9")
def test_packages_are_found_where_they_are_copied_to_and_where_they_are_installed(
    root: Path, write: Write
) -> None:
    write("agents/packed/post/package.json", package_json("carrier"))
    write("agents/packed/@scope/desk/package.json", package_json("clerk", "bell"))
    write("node_modules/mail/package.json", package_json("sender"))
    write("node_modules/plain/package.json", "{}")
    write("node_modules/post/package.json", package_json("another"))
    site = ".venv/lib/python3.12/site-packages"
    write(f"{site}/some_desk/agents/clerk.py")
    write(f"{site}/some_desk-1.dist-info/METADATA", "Name: some-desk\n")
    write(f"{site}/some_desk-1.dist-info/entry_points.txt", "[standardagent]\nclerk = some_desk\n")
    write(f"{site}/other-1.dist-info/METADATA", "Name: other\n")
    write(f"{site}/other-1.dist-info/entry_points.txt", "[console_scripts]\nother = other:main\n")
    found = Packages(root, root / ".venv/bin/python").look()
    assert found.diagnostics == ()
    assert found.packages == (
        Package(name="@scope/desk", path="agents/packed/@scope/desk", entry_agents=("clerk", "bell")),
        Package(name="mail", path="node_modules/mail", entry_agents=("sender",), origin="node"),
        Package(name="post", path="agents/packed/post", entry_agents=("carrier",)),
        Package(name="some-desk", path=f"{site}/some_desk", entry_agents=("clerk",), origin="python"),
    )


@pytest.mark.rule("D9", "D1")
def test_a_package_has_the_folders_of_a_project_and_its_files_know_whose_they_are(
    root: Path, write: Write
) -> None:
    write("agents/packed/post/package.json", package_json("carrier"))
    for path in ("tools/echo.py", "agents/carrier.py", "effects/mail/digest.py", "lib/part.py"):
        write(f"agents/packed/post/{path}")
    write("agents/tools/echo.py")
    found = Discovery(root).look()
    assert found.diagnostics == ()
    assert [(file.kind.value, file.name, file.package) for file in found.files] == [
        ("agent", "carrier", "post"),
        ("effect", "mail/digest", "post"),
        ("tool", "echo", "post"),
        ("tool", "echo", None),
    ]


@pytest.mark.rule("D9")
@pytest.mark.parametrize(
    ("text", "words", "severity"),
    [
        ("{", "cannot be read", "error"),
        ('{"standardagent": {"entryAgents": "carrier"}}', "is a list of names", "error"),
        ('{"standardagent": []}', "is a list of names", "error"),
        ("{}", "names no entry agent", "warning"),
        (None, "names no entry agent", "warning"),
    ],
)
def test_what_is_wrong_with_a_copied_package_is_told_and_its_definitions_are_listed(
    root: Path, write: Write, text: str | None, words: str, severity: str
) -> None:
    if text is not None:
        write("agents/packed/post/package.json", text)
    write("agents/packed/post/tools/echo.py")
    found = Discovery(root).look()
    assert [file.package for file in found.files] == ["post"]
    first = found.diagnostics[0]
    assert (first.code, first.severity.value) == ("bad-package", severity)
    assert words in first.message


@pytest.mark.rule("D9")
def test_an_installed_package_whose_folder_is_not_there_is_told(root: Path, write: Write) -> None:
    site = ".venv/lib/python3.12/site-packages"
    write(f"{site}/post-1.dist-info/METADATA", "Name: post\n")
    write(f"{site}/post-1.dist-info/entry_points.txt", "[standardagent]\nclerk = gone\n")
    found = Packages(root, root / ".venv/bin/python").look()
    (problem,) = found.diagnostics
    assert "in gone, which is no folder" in problem.message
    assert found.packages == ()


def test_what_is_installed_is_looked_at_again_when_it_changed(root: Path, write: Write) -> None:
    packages = Packages(root)
    assert packages.look().packages == ()
    write("node_modules/mail/package.json", package_json("sender"))
    assert [package.name for package in packages.look().packages] == ["mail"]
