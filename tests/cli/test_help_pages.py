"""The help tells what is there: its links lead somewhere, its examples run, its tables are whole."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.cli.conftest import ROOT, TIMEOUT, Cli
from workbench.app.definitions.tool_templates import TEMPLATES
from workbench.base.ids import ThreadId
from workbench.base.paths import resources_dir
from workbench.cli import main
from workbench.cli.records import thread_row, totals_row
from workbench.cli.session import Exit
from workbench.cli.thread_runs import start
from workbench.cli.threads import thread
from workbench.domain.calls import FailureKind
from workbench.domain.pages import ThreadSummary, ThreadTotals
from workbench.domain.threads import ThreadStatus
from workbench.project.folder import project_slug
from workbench.project.settings_file import read_settings

HELP = resources_dir() / "help"
PAGES = sorted(HELP.glob("*.md"))

# Where diagnostics are made, and the words with a hyphen there that are no codes.
SOURCES = ("project", "hosts", "sandbox", "schema", "engine/catalog", "worker")
WORD = re.compile(r"[a-z]+[a-z0-9]*(?:-[a-z0-9]+)+")
NO_CODES = {
    "agent-sdk", "standard-agents", "utf-8", "utf-8-sig", "date-time", "json-pointer", "workbench-pipe",
    "content-length",
    "transfer-encoding", "user-agent", "proxy-authorization", "utf-16",
    "no-debugger", "scripts-end", "dist-packages", "site-packages", "workbench-watch", "content-type",
    "agent-tool-workbench",
}  # fmt: skip


def page(name: str) -> str:
    return (HELP / f"{name}.md").read_text("utf-8")


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md"], ids=lambda path: path.name)
def test_every_link_leads_to_a_file(path: Path) -> None:
    links = re.findall(r"(?<!!)\[[^\]]*\]\(([^)#:]+)\)", path.read_text("utf-8"))

    assert [link for link in links if not (path.parent / link).exists()] == []


def test_addresses_name_the_sample_as_it_is_served() -> None:
    served = project_slug(resources_dir() / "sample", read_settings(resources_dir() / "sample").settings.name)

    assert set(re.findall(r":3000/([\w-]+)", page("command-line"))) == {served}


def test_every_kind_of_failure_is_explained() -> None:
    assert [kind for kind in FailureKind if f"| `{kind.value}` |" not in page("calls")] == []


def test_every_exit_code_is_explained() -> None:
    assert [code for code in Exit if f"| {code.value} |" not in page("command-line")] == []


def test_every_command_is_in_the_table() -> None:
    table = page("command-line").split("\n\n")[2]
    commands = main.workbench.list_commands(click.Context(main.workbench))

    assert "run" in commands
    assert [name for name in commands if f"| `workbench {name}" not in table] == []


def test_every_command_of_threads_is_there_and_every_option_that_begins_one() -> None:
    text = page("command-line")
    told = [option for option in start.params if not getattr(option, "hidden", False)]
    options = [one for option in told for one in option.opts if one.startswith("--")]
    general = {"--project", "--verbose", "--json", "--watch"}

    assert [name for name in thread.commands if f"{name}`" not in text and f"`{name} ID" not in text] == []
    assert "`workbench thread start AGENT`" in text
    assert [one for one in options if one not in general and f"`{one}" not in text] == []
    assert "`--no-watch`" in text


def test_the_rows_of_threads_have_the_fields_that_are_told() -> None:
    text = " ".join(page("command-line").split())
    row = ThreadSummary(id=ThreadId("x"), agent="x", status=ThreadStatus.IDLE, created_at=0, updated_at=0)

    assert f"`[{{{', '.join(thread_row(row))}}}]`" in text
    assert f"`{{{', '.join(totals_row(ThreadTotals()))}}}`" in text


def test_every_code_of_a_diagnostic_is_explained() -> None:
    texts = {
        node.value
        for folder in SOURCES
        for path in (ROOT / "workbench" / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    codes = {text for text in texts if WORD.fullmatch(text)} - NO_CODES

    assert {"syntax-error", "name-clash", "open-shape"} < codes
    assert sorted(code for code in codes if f"| `{code}` |" not in page("diagnostics")) == []


@pytest.mark.slow
def test_the_tools_of_the_help_work_as_they_are_printed(cli: Cli, sample: Path) -> None:
    celsius, words = re.findall(r"```python\n(.*?)```", page("writing-tools"), re.DOTALL)
    (sample / "agents/tools/to_fahrenheit.py").write_text(celsius)
    (sample / "bot/tools/count-words.py").write_text(words)

    assert cli("check", "--json").json["ok"] is True
    assert cli("tool", "call", "to_fahrenheit", "--input", '{"celsius": 20}').json["result"] == "68 °F"
    assert cli("tool", "call", "count-words", "--input", '{"text": "one two"}').json["result"] == {"words": 2}


def test_definitions_that_a_person_may_copy_import_in_one_way() -> None:
    copied = [path for path in resources_dir().rglob("*") if path.suffix in {".py", ".md"}]
    texts = [path.read_text("utf-8") for path in copied] + [template.source for template in TEMPLATES]
    imports = re.findall(r"^ *(from workbench\S* import|import workbench\S*)", "\n".join(texts), re.MULTILINE)

    assert set(imports) == {"from workbench.authoring import", "from workbench.app import"}


@pytest.mark.slow
@pytest.mark.parametrize("path", [HELP / "command-line.md", ROOT / "README.md"], ids=lambda path: path.name)
def test_a_program_in_python_runs_as_it_is_pasted(sample: Path, path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL)

    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=sample,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr
    assert "'boxes': [{'grams':" in ended.stdout


@pytest.mark.slow
def test_the_commands_of_the_readme_run_as_they_are_pasted(command: Cli) -> None:
    lines = re.findall(r"^(?:mkdir .* && )?workbench (.+?)(?:  +#.*)?$", readme(), re.MULTILINE)
    commands = [words for line in lines if (words := shlex.split(line, comments=True))]

    assert ["new", "tool", "shorten"] in commands
    assert [ended for ended in (command(*words) for words in commands) if ended.code] == []


def readme() -> str:
    return (ROOT / "README.md").read_text("utf-8")
