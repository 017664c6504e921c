"""What is copied is run: the command in a real shell, the program by a real interpreter."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given

from tests.app.projects import OpenProject
from tests.forms.schemas import json_values
from workbench.app.inputs.copying import command_line, python_script
from workbench.base.exact_json import JsonValue, dump, parse

ROOT = Path(__file__).parents[3]

TRICKY = {
    "quotes": json.dumps({"text": 'it\'s "so" `now` \\ $HOME ! %s {x} \n\t\x7f'}),
    "values": '{"text":"Żółć 日本語 🙂 \\u202e","id":12345678901234567890,"x":[0.1,1e-400,true,false,null,{"":[]}]}',
    "length": json.dumps({"text": "line\nEND\nINPUT\n" * 12_000}),
}
"""What shells and Python read as something else, numbers that no float holds, and more than a shell takes."""


async def run(*words: str, home: Path) -> str:
    """Standard output of a program that ends well."""
    variables = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "XDG_DATA_HOME": str(home),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    }
    process = await asyncio.create_subprocess_exec(
        *words,
        env=variables,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 50)
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.mark.slow
@pytest.mark.parametrize("arguments", TRICKY.values(), ids=TRICKY.keys())
async def test_the_copied_command_makes_the_same_call_in_a_shell(
    tmp_path: Path, project: Path, opened: OpenProject, arguments: str
) -> None:
    awkward = project.rename(tmp_path / "it's a $desk")
    async with opened(awkward) as wb:
        line = await wb.inputs.command_line("echo", arguments.encode())
    script = tmp_path / "copied.sh"
    script.write_text(line, encoding="utf-8")
    record = parse(await run("sh", str(script), home=tmp_path))
    assert isinstance(record, dict)
    assert dump(record["result"]) == dump({"echo": parse(arguments)})


@pytest.mark.slow
async def test_the_copied_programs_make_the_same_calls(
    tmp_path: Path, project: Path, opened: OpenProject
) -> None:
    async with opened(project) as wb:
        for name, arguments in TRICKY.items():
            program = await wb.inputs.python_script("echo", arguments.encode())
            (tmp_path / f"{name}.py").write_text(program, encoding="utf-8")
    files = [str(tmp_path / f"{name}.py") for name in TRICKY]
    one_after_another = f"import runpy\nfor file in {files!r}: runpy.run_path(file)"
    printed = (await run(sys.executable, "-c", one_after_another, home=tmp_path)).splitlines()
    assert printed == [dump({"echo": parse(arguments)}) for arguments in TRICKY.values()]


@pytest.mark.rule("V6")
async def test_neither_holds_a_secret(project: Path, opened: OpenProject) -> None:
    async with opened(project) as wb:
        await wb.variables.set("TOKEN", "hunter2-and-more")
        arguments = b'{"text": "hunter2-and-more"}'
        for text in (
            await wb.inputs.command_line("echo", arguments),
            await wb.inputs.python_script("echo", arguments),
        ):
            assert "hunter2" not in text
            assert "[[secret:TOKEN]]" in text


def test_a_name_that_looks_like_an_option_is_no_option() -> None:
    assert command_line("-x", Path("/p"), "{}").endswith(" -- -x")


@given(json_values)
def test_every_value_is_in_the_program_exactly(value: JsonValue) -> None:
    arguments = dump({"x": value})
    scope: dict[str, object] = {}
    program = python_script("t", Path("/p"), arguments)
    _, _, rest = program.partition("        arguments = ")
    exec("arguments = (" + rest.split("\n        record")[0] + ")", scope)
    given_back = scope["arguments"]
    assert dump(parse(given_back) if isinstance(given_back, str) else given_back) == dump(parse(arguments))
