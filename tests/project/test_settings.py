"""workbench.toml: every setting, every way to get one wrong, and that none of them stops the start (H6)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.domain.definitions import Severity
from workbench.project.settings import Retention, Settings
from workbench.project.settings_file import ReadSettings, parse_settings, read_settings

Write = Callable[..., Path]

WHOLE = """\
name = "parcel-desk"
python = "envs/dev"

[server]
port = 8080
auth = false

[connections.files]
command = "files-mcp"
args = ["--root", "."]
env = { MODE = "fast", API_TOKEN = "${FILES_TOKEN}" }

[connections.remote]
url = "https://tools.example/mcp"
headers = { Authorization = "Bearer ${REMOTE_TOKEN}" }
advertise_tools = false

[sandbox]
allow_hosts = ["api.example"]

[store]
retention = "90 days"
"""


def seen(read: ReadSettings) -> list[tuple[str, int | None, str | None]]:
    return [(problem.code, problem.line, problem.name) for problem in read.diagnostics]


@pytest.mark.rule("H6")
def test_every_setting_is_read(root: Path, write: Write) -> None:
    write("workbench.toml", WHOLE)
    settings, diagnostics, _ = read_settings(root)
    assert not diagnostics
    assert (settings.name, settings.python) == ("parcel-desk", "envs/dev")
    assert (settings.server.port, settings.server.auth) == (8080, False)
    files, remote = settings.connections["files"], settings.connections["remote"]
    assert (files.command, files.args, files.advertise_tools) == ("files-mcp", ("--root", "."), True)
    assert files.env == {"MODE": "fast", "API_TOKEN": "${FILES_TOKEN}"}
    assert remote.headers == {"Authorization": "Bearer ${REMOTE_TOKEN}"}
    assert (remote.url, remote.advertise_tools) == ("https://tools.example/mcp", False)
    assert settings.sandbox.allow_hosts == ("api.example",)
    assert settings.store.retention == Retention(days=90)


def test_without_a_file_every_setting_has_its_default(root: Path) -> None:
    assert read_settings(root) == (Settings(), (), {})
    assert (Settings().server.port, Settings().server.auth) == (3000, True)


@pytest.mark.rule("H6")
def test_a_bad_value_is_told_with_what_it_must_be_and_what_it_is_for() -> None:
    (problem,) = parse_settings("[server]\nport = 70000").diagnostics
    assert problem.message == "`server.port` must be a whole number from 1 to 65535; 3000 is used."
    assert problem.hint == "The port that the server listens on."


@pytest.mark.rule("H6")
@pytest.mark.parametrize(
    ("text", "key", "line", "suggestion"),
    [
        ('\n\npythn = "python3"', "pythn", 3, "`python`"),
        ("[server]\n# a note\nPort = 1", "server.Port", 3, "`server.port`"),
        ("[servr]\nport = 1", "servr", 1, "`server`"),
        (
            '[connections."my tools"]\ncommand = "x"\nadvertise-tools = true',
            "connections.my tools.advertise-tools",
            3,
            "`connections.my tools.advertise_tools`",
        ),
        ("server.prot = 1", "server.prot", 1, "`server.port`"),
        ("server = { prot = 1 }", "server.prot", 1, "`server.port`"),
        ("port = 1", "port", 1, "`server.port`"),
        ("zzz = 1", "zzz", 1, "name, python, server"),
    ],
)
def test_an_unknown_key_gets_its_line_and_a_suggestion(
    text: str, key: str, line: int, suggestion: str
) -> None:
    read = parse_settings(text)
    assert seen(read) == [("settings-unknown-key", line, key)]
    assert suggestion in read.diagnostics[0].hint
    assert read.settings.server == Settings().server


@pytest.mark.rule("H6")
@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ("name = 3", "name", 1),
        ('name = ""', "name", 1),
        ("[server]\nport = 70000", "server.port", 2),
        ("[server]\nport = true", "server.port", 2),
        ("[server]\nport = 30.5", "server.port", 2),
        ('[server]\nport = "3000"', "server.port", 2),
        ("[server]\nauth = 1", "server.auth", 2),
        ("\nserver = 1", "server", 2),
        ("server = [1]", "server", 1),
        ("connections = 1", "connections", 1),
        ("[connections]\nx = 1", "connections.x", 2),
        ("[connections.x]\n", "connections.x", 1),
        ('[connections.x]\ncommand = "a"\nurl = "http://a"', "connections.x", 1),
        ('[connections.x]\ncommand = "a"\nargs = "b"', "connections.x.args", 3),
        ('[connections.x]\ncommand = "a"\nenv = { A = 1 }', "connections.x.env", 3),
        ('[[connections.x]]\ncommand = "a"', "connections.x", 1),
        ('[sandbox]\nallow_hosts = [\n "a",\n 1,\n]', "sandbox.allow_hosts", 2),
        ('[store]\nretention = "3 weeks"', "store.retention", 2),
        ('[store]\nretention = "0 days"', "store.retention", 2),
        ("[store]\nretention = 90", "store.retention", 2),
    ],
)
def test_a_bad_value_costs_that_value_only(text: str, key: str, line: int) -> None:
    read = parse_settings('python = "kept"\n' + text)
    assert seen(read) == [("settings-bad-value", line + 1, key)]
    assert read.diagnostics[0].severity is Severity.WARNING
    assert read.settings.python == "kept"
    assert (read.settings.name, read.settings.server, read.settings.store) == (
        None,
        Settings().server,
        Settings().store,
    )


@pytest.mark.parametrize(
    "url",
    ["ftp://a", "tools.example", "https://", "https://me:hunter22@tools.example", "http://[", "http://a:b"],
)
def test_an_address_that_cannot_be_used_is_refused_without_being_repeated(url: str) -> None:
    read = parse_settings(f'[connections.x]\nurl = "{url}"')
    assert ("settings-bad-value", 2, "connections.x.url") in seen(read)
    assert not read.settings.connections
    assert url not in str(read)


@pytest.mark.parametrize(
    ("text", "retention"),
    [("off", Retention()), ("1 day", Retention(days=1)), ("500MB", Retention(size=500_000_000))],
)
def test_retention_is_an_age_a_size_or_off(text: str, retention: Retention) -> None:
    assert parse_settings(f'[store]\nretention = "{text}"').settings.store.retention == retention


@pytest.mark.rule("V4")
@pytest.mark.parametrize("name", ["GITHUB_TOKEN", "DB_PASSWORD", "SECRET", "MY_APIKEY"])
def test_a_secret_written_into_the_file_is_neither_used_nor_repeated(name: str) -> None:
    read = parse_settings(
        f'[connections.x]\ncommand = "a"\n[connections.x.env]\nMODE = "a"\n{name} = "hunter22"'
    )
    assert seen(read) == [("settings-plain-secret", 5, f"connections.x.env.{name}")]
    assert f'{name} = "${{{name}}}"' in read.diagnostics[0].hint
    assert read.settings.connections["x"].env == {"MODE": "a"}
    assert "hunter22" not in str(read)


@pytest.mark.rule("V4")
@pytest.mark.parametrize("name", ["Authorization", "X-Api-Key", "Cookie", "x-auth-token"])
def test_a_secret_written_into_a_header_is_neither_used_nor_repeated(name: str) -> None:
    read = parse_settings(f'[connections.x]\nurl = "http://a"\nheaders = {{ {name} = "Bearer hunter22" }}')
    assert seen(read) == [("settings-plain-secret", 3, f"connections.x.headers.{name}")]
    assert "${" + name.replace("-", "_").upper() + "}" in read.diagnostics[0].hint
    assert read.settings.connections["x"].headers == {}
    assert "hunter22" not in str(read)


@pytest.mark.rule("H6")
@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'name = "a"\nname = "b"', 2),
        (b"name = ", 1),
        (b"a\nb = [", 1),
        (b'name = "\xff"', 1),
        (b'x = 1\nname = "\x00"', 2),
        (b"x = " + b"[" * 100_000, None),
        (b"x = " + b"1" * 10_000, 1),
        (b"# " + b"x" * 300_000, None),
    ],
)
def test_a_file_that_is_not_toml_leaves_every_default(
    root: Path, write: Write, data: bytes, line: int | None
) -> None:
    write("workbench.toml", data)
    settings, diagnostics, _ = read_settings(root)
    assert settings == Settings()
    assert [(problem.code, problem.line, problem.severity) for problem in diagnostics] == [
        ("settings-syntax", line, Severity.ERROR)
    ]


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_in_the_place_of_the_file_is_reported(
    root: Path, make: Callable[[Path], None]
) -> None:
    make(root / "workbench.toml")
    assert [problem.code for problem in read_settings(root).diagnostics] == ["settings-syntax"]


def test_a_file_from_an_editor_of_another_system_is_read(root: Path, write: Write) -> None:
    write("workbench.toml", b'\xef\xbb\xbfname = "a"\r\n[server]\r\nprt = 1\r\n')
    read = read_settings(root)
    assert read.settings.name == "a"
    assert seen(read) == [("settings-unknown-key", 3, "server.prt")]


@pytest.mark.parametrize(
    "before",
    [
        'a = """\n[server]\nname = 1\n"""',
        'a = """x\\""" \n """""',
        "a = '''\n# \"\n'''",
        'a = [\n  "]", # ]\n  [1],\n]',
        "a = { b = [\n1,\n2 ] }",
        "# [x]",
        'a = "\\"["',
        "[[a]]\nb = 1\n[[a]]\nb = 2\n[server]",
        "[a.b]\n[server]",
    ],
)
def test_lines_are_right_whatever_stands_before(before: str) -> None:
    read = parse_settings(f"{before}\nextra = 1")
    last = before.count("\n") + 2
    assert [problem.line for problem in read.diagnostics if (problem.name or "").endswith("extra")] == [last]


@pytest.mark.rule("H6")
@given(st.text() | st.lists(st.sampled_from(WHOLE.splitlines()), max_size=30).map("\n".join))
def test_no_text_whatever_stops_the_start(text: str) -> None:
    settings, diagnostics, _ = parse_settings(text)
    assert isinstance(settings, Settings)
    assert all(problem.code.startswith("settings-") for problem in diagnostics)


def test_a_key_of_absurd_depth_is_an_unknown_key() -> None:
    assert seen(parse_settings("a" + ".a" * 3_000 + " = 1")) == [("settings-unknown-key", 1, "a")]


@pytest.mark.rule("H6", "H7")
def test_callers_of_the_server_have_a_token_from_a_variable_and_attributes_that_are_json() -> None:
    read = parse_settings(
        '[server]\nport = 4000\n[server.callers.ann]\ntoken = "${ANN}"\nattributes = { team = ["post", 1] }'
    )
    assert read.diagnostics == ()
    ann = read.settings.server.callers["ann"]
    assert (read.settings.server.port, ann.token, ann.attributes) == (4000, "${ANN}", {"team": ["post", 1]})


@pytest.mark.rule("H6", "H7", "V4")
@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ('token = "a-token-in-plain"', "server.callers.ann.token", 4),
        ('token = "Bearer ${ANN}"', "server.callers.ann.token", 4),
        ("attributes = { team = 1 }", "server.callers.ann", 3),
        ('token = "${ANN}"\nattributes = { since = 2026-01-01 }', "server.callers.ann.attributes", 5),
        ('token = "${ANN}"\nattributes = 3', "server.callers.ann.attributes", 5),
        ('token = "${ANN}"\n[server.callers.local]\ntoken = "${IT}"', "server.callers.local", 5),
        ('token = "${ANN}"\n[server.callers]\nbob = 3', "server.callers.bob", 6),
    ],
)
def test_a_caller_of_the_server_that_cannot_be_told_is_left_out_and_the_rest_stands(
    text: str, key: str, line: int
) -> None:
    read = parse_settings(f"[server]\nport = 4000\n[server.callers.ann]\n{text}")
    assert ("settings-bad-value", line, key) in seen(read)
    assert "plain" not in str(read.diagnostics)
    assert read.settings.server.port == 4000
    assert all(caller.token == "${ANN}" for caller in read.settings.server.callers.values())
