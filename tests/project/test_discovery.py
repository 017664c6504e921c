"""Which files count as definitions, and what is said about those that cannot (D1, D2)."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.domain.definitions import DefinitionKind, Dialect, Language, Severity
from workbench.project.content import LARGEST_FILE
from workbench.project.discovery import Discovered, Discovery

Write = Callable[..., Path]


def codes(found: Discovered) -> dict[str, list[str]]:
    """Per path, the codes of what was said about it."""
    shown: dict[str, list[str]] = {}
    for problem in found.diagnostics:
        shown.setdefault(problem.path, []).append(problem.code)
    return shown


def paths(found: Discovered) -> list[str]:
    return [file.path for file in found.files]


@pytest.mark.rule("D1")
def test_every_folder_gives_its_files_their_kind_and_dialect(root: Path, write: Write) -> None:
    for kind in DefinitionKind:
        write(f"agents/{kind}s/one.py")
    write("bot/tools/two.ts")
    found = Discovery(root).look()
    assert {(file.path, file.kind, file.dialect, file.language) for file in found.files} == {
        *(
            (f"agents/{kind}s/one.py", kind, Dialect.STANDARD_AGENTS, Language.PYTHON)
            for kind in DefinitionKind
        ),
        ("bot/tools/two.ts", DefinitionKind.TOOL, Dialect.AGENT_SDK, Language.TYPESCRIPT),
    }
    assert not found.diagnostics


@pytest.mark.rule("D1")
def test_python_typescript_and_javascript_stand_side_by_side(root: Path, write: Write) -> None:
    for ending in ("py", "ts", "mts", "js", "mjs"):
        write(f"agents/tools/tool_{ending}.{ending}", "x = 1")
    found = Discovery(root).look()
    assert {file.name: file.language for file in found.files} == {
        "tool_py": Language.PYTHON,
        "tool_ts": Language.TYPESCRIPT,
        "tool_mts": Language.TYPESCRIPT,
        "tool_js": Language.TYPESCRIPT,
        "tool_mjs": Language.TYPESCRIPT,
    }
    assert {file.digest for file in found.files} == {hashlib.sha256(b"x = 1").hexdigest()}


@pytest.mark.rule("D1")
def test_private_files_types_and_tests_are_no_definitions(root: Path, write: Write) -> None:
    for name in (
        "_helper.py",
        ".hidden.py",
        "types.d.ts",
        "tool.test.ts",
        "tool.spec.js",
        "test_tool.py",
        "conftest.py",
        "notes.md",
        "tool.pyc",
        "_shared/part.py",
        ".cache/part.py",
        "__pycache__/part.py",
        "node_modules/part.js",
    ):
        write(f"agents/tools/{name}")
    write("bot/lib/client.py")
    assert Discovery(root).look() == ((), (), ())


@pytest.mark.rule("D1")
def test_a_nested_tool_is_listed_with_a_diagnostic_and_an_effect_may_nest(root: Path, write: Write) -> None:
    write("agents/tools/deep/down/tool.py")
    write("agents/effects/notifications/digest.py")
    found = Discovery(root).look()
    assert [file.name for file in found.files] == ["notifications/digest", "tool"]
    assert codes(found) == {"agents/tools/deep/down/tool.py": ["nested-file"]}


@pytest.mark.rule("D1")
@pytest.mark.parametrize(
    ("path", "good"),
    [
        ("agents/tools/convert_length.py", True),
        ("agents/tools/a1.py", True),
        ("agents/tools/Convert.py", False),
        ("agents/tools/convert-length.py", False),
        ("agents/tools/1st.py", False),
        ("agents/tools/größe.py", False),
        ("agents/tools/two words.py", False),
        ("agents/tools/tool.v2.py", False),
        ("agents/effects/Mail/digest.py", False),
        ("agents/models/use-case.py", True),
        ("bot/tools/Convert-Length_2.py", True),
        ("bot/tools/" + "x" * 64 + ".py", True),
        ("bot/tools/" + "x" * 65 + ".py", False),
        ("bot/tools/größe.py", False),
    ],
)
def test_a_name_is_judged_by_its_dialect(root: Path, write: Write, path: str, *, good: bool) -> None:
    write(path)
    found = Discovery(root).look()
    assert paths(found) == [path]
    assert codes(found) == ({} if good else {path: ["bad-name"]})
    assert all(problem.severity is Severity.ERROR for problem in found.diagnostics)


def test_a_name_that_providers_refuse_for_its_length_is_a_warning(root: Path, write: Write) -> None:
    write(f"agents/tools/{'x' * 65}.py")
    (problem,) = Discovery(root).look().diagnostics
    assert (problem.code, problem.severity) == ("bad-name", Severity.WARNING)


@pytest.mark.rule("D2")
@pytest.mark.parametrize("name", ["subagents", "subagent_create", "subagent_message"])
@pytest.mark.parametrize("folder", ["agents/tools", "bot/tools"])
def test_the_names_of_the_subagent_tools_are_reserved(
    root: Path, write: Write, folder: str, name: str
) -> None:
    path = f"{folder}/{name}.py"
    write(path)
    assert codes(Discovery(root).look()) == {path: ["reserved-name"]}


def test_a_reserved_name_is_free_for_what_is_no_tool(root: Path, write: Write) -> None:
    write("agents/hooks/subagents.py")
    assert not Discovery(root).look().diagnostics


@pytest.mark.rule("D2")
@pytest.mark.parametrize(
    "twins",
    [
        ("agents/tools/find.py", "bot/tools/find.py"),
        ("agents/tools/find.py", "agents/tools/find.ts"),
        ("bot/tools/find.js", "bot/tools/find.mjs"),
    ],
)
def test_tools_of_one_name_list_each_other(root: Path, write: Write, twins: tuple[str, str]) -> None:
    for path in twins:
        write(path)
    write("agents/prompts/find.py")
    found = Discovery(root).look()
    assert codes(found) == {path: ["name-clash"] for path in twins}
    for problem in found.diagnostics:
        assert all(path in problem.message for path in twins)


def test_names_that_differ_in_case_only_are_warned_of(root: Path, write: Write) -> None:
    write("bot/tools/Find.py")
    write("agents/tools/find.py")
    found = Discovery(root).look()
    assert codes(found) == {"bot/tools/Find.py": ["name-case"], "agents/tools/find.py": ["name-case"]}
    assert all(problem.severity is Severity.WARNING for problem in found.diagnostics)


def test_a_nested_file_does_not_take_the_name_from_a_tool(root: Path, write: Write) -> None:
    write("agents/tools/find.py")
    write("agents/tools/old/find.py")
    assert codes(Discovery(root).look()) == {"agents/tools/old/find.py": ["nested-file"]}


def test_a_file_that_is_not_utf8_is_named_with_the_line(root: Path, write: Write) -> None:
    write("agents/tools/broken.py", b"first = 1\nsecond = '\xff'\n")
    write("agents/tools/fine.py", "# -*- coding: latin-1 -*-\nx = '\xe9'\n".encode("latin-1"))
    write("bot/tools/other.ts", b"\xff")
    found = Discovery(root).look()
    assert len(found.files) == 3
    assert codes(found) == {"agents/tools/broken.py": ["not-utf8"], "bot/tools/other.ts": ["not-utf8"]}
    assert "line 2" in found.diagnostics[0].message


def test_a_file_far_too_large_is_not_read(root: Path, write: Write) -> None:
    with write("agents/tools/data.py").open("r+b") as file:
        file.truncate(LARGEST_FILE + 1)
    assert codes(Discovery(root).look()) == {"agents/tools/data.py": ["file-too-large"]}


def test_a_pipe_that_poses_as_a_file_does_not_hang_the_look(root: Path, write: Write) -> None:
    write("agents/tools/fine.py")
    os.mkfifo(root / "agents/tools/pipe.py")
    found = Discovery(root).look()
    assert paths(found) == ["agents/tools/fine.py", "agents/tools/pipe.py"]
    assert codes(found) == {"agents/tools/pipe.py": ["unreadable-file"]}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_hides_no_neighbour(root: Path, write: Write) -> None:
    write("agents/tools/fine.py")
    write("agents/tools/shut.py").chmod(0)
    write("agents/hooks/one.py").parent.chmod(0)
    try:
        assert codes(Discovery(root).look()) == {
            "agents/tools/shut.py": ["unreadable-file"],
            "agents/hooks": ["unreadable-file"],
        }
    finally:
        (root / "agents/hooks").chmod(0o755)


def test_links_are_followed_inside_the_project_only(root: Path, write: Write, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.py").write_text("x = 1")
    write("shared/tool.py")
    write("agents/tools/fine.py")
    tools = root / "agents/tools"
    (tools / "inside.py").symlink_to(root / "shared/tool.py")
    (tools / "leaves.py").symlink_to(tmp_path / "outside/secret.py")
    (tools / "folder").symlink_to(tmp_path / "outside")
    (tools / "gone.py").symlink_to(root / "nowhere.py")
    (tools / "round").symlink_to(tools)
    (tools / "loop.py").symlink_to(tools / "loop.py")
    (root / "bot").symlink_to(tmp_path / "outside")
    (tmp_path / "outside/tools").mkdir()
    found = Discovery(root).look()
    assert paths(found) == [
        "agents/tools/fine.py",
        "agents/tools/gone.py",
        "agents/tools/inside.py",
        "agents/tools/loop.py",
    ]
    assert codes(found) == {
        "agents/tools/folder": ["outside-project"],
        "agents/tools/gone.py": ["unreadable-file"],
        "agents/tools/leaves.py": ["outside-project"],
        "agents/tools/loop.py": ["unreadable-file"],
        "bot/tools": ["outside-project"],
    }


def test_a_project_reached_by_a_link_is_the_same_project(root: Path, write: Write, tmp_path: Path) -> None:
    write("agents/tools/fine.py")
    (tmp_path / "link").symlink_to(root)
    assert Discovery(tmp_path / "link").look() == Discovery(root).look()


def test_a_file_name_that_is_not_utf8_is_reported_in_text_that_can_be_shown(root: Path, write: Write) -> None:
    write("agents/tools/fine.py")
    Path(os.fsdecode(os.fsencode(root / "agents/tools") + b"/b\xffd.py")).write_text("x = 1")
    Path(os.fsdecode(os.fsencode(root / "agents/tools") + b"/l\xff.py")).symlink_to(root.parent)
    found = Discovery(root).look()
    assert paths(found) == ["agents/tools/fine.py"]
    assert codes(found) == {
        "agents/tools/b\\xffd.py": ["bad-name"],
        "agents/tools/l\\xff.py": ["outside-project"],
    }
    json.dumps([problem.to_json() for problem in found.diagnostics], ensure_ascii=False).encode()


def test_a_folder_whose_name_is_nearly_right_is_pointed_at(root: Path, write: Write) -> None:
    write("agents/tool/find.py")
    write("agents/lib/part.py")
    write("agents/packed/other/part.py")
    (problem,) = Discovery(root).look().diagnostics
    assert (problem.code, problem.path) == ("folder-typo", "agents/tool")
    assert "agents/tools" in problem.hint


def test_a_folder_that_lacks_its_s_is_pointed_at_also_beside_the_right_one(root: Path, write: Write) -> None:
    for path in ("tools/find", "tool/find", "Tools/find", "toolset/part"):
        write(f"agents/{path}.py")
    found = Discovery(root).look()
    assert sorted(problem.path for problem in found.diagnostics) == ["agents/Tools", "agents/tool"]


def test_a_folder_that_holds_no_definitions_is_an_empty_project(root: Path) -> None:
    assert Discovery(root).look() == ((), (), ())
    assert list(root.iterdir()) == []


def test_a_second_look_reads_only_what_changed(root: Path, write: Write) -> None:
    long_ago = time.time_ns() - 10**10
    for name in ("one", "two"):
        os.utime(write(f"agents/tools/{name}.py", "x = 1"), ns=(long_ago, long_ago))
    discovery = Discovery(root)
    first = discovery.look()
    one = root / "agents/tools/one.py"
    stamp = one.stat()
    one.write_text("x = 2")
    os.utime(
        one, ns=(stamp.st_atime_ns, stamp.st_mtime_ns)
    )  # same inode, size and time: not told apart, by design
    assert discovery.look() == first
    os.utime(one)
    changed = discovery.look()
    assert changed.files[0].digest == hashlib.sha256(b"x = 2").hexdigest()
    assert changed.files[1] == first.files[1]
    one.unlink()
    assert paths(discovery.look()) == ["agents/tools/two.py"]


def test_a_save_within_one_tick_of_the_clock_is_seen(root: Path, write: Write) -> None:
    file = write("agents/tools/one.py", "x = 1")
    discovery = Discovery(root)
    discovery.look()
    stamp = file.stat()
    file.write_text("x = 2")
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert discovery.look().files[0].digest == hashlib.sha256(b"x = 2").hexdigest()
