"""A file that is edited and saved is, in all that was not edited, byte for byte what it was."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.app.source.files import (
    LARGEST,
    SourceChangedError,
    encoded,
    read_source,
    source_of,
    write_source,
)
from workbench.base.errors import UserError


def put(root: Path, data: bytes, path: str = "agents/tools/echo.py") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a = 1\nb = 2\n", b"a = 1\nb = 3\n"),
        (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nb = 3\r\n"),
        (b"a = 1\rb = 2\r", b"a = 1\rb = 3\r"),
        (b"a = 1\nb = 2", b"a = 1\nb = 3"),
        (b"x\r\na = 1\nb = 2\r\n", b"x\r\na = 1\nb = 3\r\n"),
        (b"\xef\xbb\xbfa = 1\nb = 2\n", b"\xef\xbb\xbfa = 1\nb = 3\n"),
        (b"# -*- coding: latin-1 -*-\nb = 2 # \xe4\n", b"# -*- coding: latin-1 -*-\nb = 3 # \xe4\n"),
        (b"", b""),
    ],
)
def test_saving_keeps_line_ends_mark_and_encoding(tmp_path: Path, before: bytes, after: bytes) -> None:
    file = put(tmp_path, before)
    opened = read_source(tmp_path, "agents/tools/echo.py")
    assert opened is not None
    assert not opened.locked
    saved = write_source(tmp_path, opened.path, opened.text.replace("b = 2", "b = 3"), opened.digest)
    assert file.read_bytes() == after
    assert read_source(tmp_path, opened.path) == saved


@given(
    st.lists(
        st.tuples(st.text("ab \t\x0b\x85", max_size=3), st.sampled_from(["\n", "\r\n", "\r"])), max_size=12
    )
)
def test_what_was_not_edited_is_written_as_it_was(lines: list[tuple[str, str]]) -> None:
    data = "".join(line + end for line, end in lines).encode()
    opened = source_of("a.py", data)
    assert encoded("a.py", opened.text, data) == data


def test_the_mode_and_a_link_stay_and_nothing_is_left_beside_the_file(tmp_path: Path) -> None:
    real = put(tmp_path, b"a\n", "lib/real.py")
    real.chmod(0o750)
    link = tmp_path / "agents" / "tools" / "echo.py"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    write_source(tmp_path, "agents/tools/echo.py", "b\n", None)
    assert link.is_symlink()
    assert real.read_text() == "b\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o750
    assert [file.name for file in real.parent.iterdir()] == ["real.py"]


def test_a_file_that_somebody_else_changed_is_not_overwritten(tmp_path: Path) -> None:
    file = put(tmp_path, b"mine\n")
    opened = read_source(tmp_path, "agents/tools/echo.py")
    assert opened is not None
    file.write_bytes(b"theirs\n")
    with pytest.raises(SourceChangedError, match="changed on disk") as raised:
        write_source(tmp_path, opened.path, "more of mine\n", opened.digest)
    assert raised.value.now is not None
    assert raised.value.now.text == "theirs\n"
    assert file.read_bytes() == b"theirs\n"
    file.unlink()
    with pytest.raises(SourceChangedError, match="is gone") as gone:
        write_source(tmp_path, opened.path, "more of mine\n", opened.digest)
    assert gone.value.now is None
    write_source(tmp_path, opened.path, "more of mine\n", None)
    assert file.read_bytes() == b"more of mine\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x" * 10_001, "10,000 characters"),
        (b"a\n" * (LARGEST // 2 + 1), "larger than 1 MB"),
        (b"a = '\xff'\n", "cannot be read"),
        (b"# coding: nonsense\n", "cannot be read"),
        (b"\x00", "U\\+0000"),
        ("a\nb = '\u2028'\n".encode(), "Line 2 holds the character U\\+2028"),
    ],
)
def test_what_an_editor_cannot_keep_is_only_shown_and_says_why(data: bytes, reason: str) -> None:
    opened = source_of("agents/tools/echo.py", data)
    assert re.search(reason, opened.locked)
    assert opened.text


def test_a_character_that_the_encoding_lacks_is_named_with_its_line() -> None:
    before = b"# coding: latin-1\nx = 1\n"
    with pytest.raises(UserError, match=r"latin-1.*'€'.*line 2"):
        encoded("a.py", "# coding: latin-1\nx = '€'\n", before)
    assert encoded("a.py", "# coding: utf-8\nx = '€'\n", before) == "# coding: utf-8\nx = '€'\n".encode()


@pytest.mark.parametrize("path", ["../other.py", "/etc/passwd", "agents/../../other.py", "."])
def test_a_path_outside_of_the_project_is_neither_read_nor_written(tmp_path: Path, path: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    with pytest.raises(UserError, match="outside of the project"):
        read_source(root, path)
    with pytest.raises(UserError, match="outside of the project"):
        write_source(root, path, "", None)


@pytest.mark.skipif(os.geteuid() == 0, reason="everything can be written by this user")
def test_a_write_protected_file_is_only_shown(tmp_path: Path) -> None:
    put(tmp_path, b"a\n").chmod(0o444)
    opened = read_source(tmp_path, "agents/tools/echo.py")
    assert opened is not None
    assert "may not write" in opened.locked
    with pytest.raises(UserError, match="write-protected"):
        write_source(tmp_path, opened.path, "b\n", None)
