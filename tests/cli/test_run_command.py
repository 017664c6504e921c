"""`workbench run FILE`: an export of a file, in the sandbox, from a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

FILE = """\
import { half } from './lib/half';

export const add = (a: number, b: number): number => {
  console.log('adding', a, b);
  return a + b;
};
export const fails = () => {
  throw new RangeError('no use');
};
export default () => half(3);
"""


@pytest.fixture
def play(tmp_path: Path) -> Path:
    folder = tmp_path / "play"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "half.ts").write_text("export const half = (a: number): number => a / 2;\n")
    (folder / "sums.ts").write_text(FILE)
    return folder


@pytest.mark.rule("X3")
def test_an_export_is_run_with_its_arguments_and_its_value_is_all_of_stdout(cli: Cli, play: Path) -> None:
    whole = cli("run", "sums.ts", cwd=play)
    sum_ = cli("run", "sums.ts", "--fn", "add", "--args", "[1, 2]", cwd=play)

    assert (whole.code, whole.out.strip()) == (0, "1.5")
    assert (sum_.code, sum_.out.strip(), sum_.err.strip()) == (0, "3", "adding 1 2")


def test_a_file_of_another_language_is_not_run(cli: Cli, play: Path) -> None:
    (play / "tool.py").write_text("1")

    ended = cli("run", "tool.py", cwd=play)

    assert (ended.code, ended.out) == (2, "")
    assert "tool call NAME" in ended.err


def test_numbers_arrive_as_javascript_reads_them(cli: Cli, play: Path) -> None:
    (play / "each.ts").write_text(
        "export default (...all: unknown[]) => all.map((one) => `${typeof one} ${one}`);"
    )

    ended = cli(
        "run", "each.ts", "--args", "[1.5, 9007199254740992, -9007199254740992.0, 1e20]", "--json", cwd=play
    )

    assert json.loads(ended.out)["result"] == [
        "number 1.5",
        "number 9007199254740992",
        "number -9007199254740992",
        "number 100000000000000000000",
    ]


@pytest.mark.rule("X3")
@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--fn", "fails"], 1, "RangeError: no use\n    at fails (sums.ts:8:"),
        (["--fn", "ad"], 1, "no export 'ad'; it exports add, default, fails"),
        (["--args", '{"a": 1}'], 2, "--args '[1, \"two\"]'"),
        (["--args", '[{"id": 9007199254740993}]'], 2, "args[0].id is a whole number beyond 2^53"),
    ],
)
def test_what_goes_wrong_is_told_on_stderr_with_the_place(
    cli: Cli, play: Path, options: list[str], code: int, words: str
) -> None:
    ended = cli("run", "sums.ts", *options, cwd=play)

    assert (ended.code, ended.out) == (code, "")
    assert words in ended.err


@pytest.mark.rule("X3")
@pytest.mark.parametrize(
    ("imported", "words"),
    [
        ("../above", "'../above', which lies outside the folder of the file that is run"),
        ("zod", "'zod': code that is run by itself has no packages"),
        ("node:fs", "'node:fs': code that is run by itself has no packages"),
    ],
)
def test_a_file_imports_what_lies_beside_it_and_nothing_else(
    cli: Cli, play: Path, imported: str, words: str
) -> None:
    (play.parent / "above.ts").write_text("export {};\n")
    (play / "far.ts").write_text(f"import '{imported}';\n")

    ended = cli("run", "far.ts", cwd=play)

    assert (ended.code, ended.out) == (1, "")
    assert words in ended.err
