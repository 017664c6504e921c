"""A call that was copied as curl is made by a real shell and the real curl, with its secrets as shell variables."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path

import pytest

from tests.app.inputs.test_copied_calls import TRICKY
from tests.server.http import TOKEN
from workbench.app import Workbench
from workbench.app.inputs.copying import curl
from workbench.base.exact_json import dump, parse
from workbench.domain.variables import Scope, VariableType
from workbench.server import Server

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")


async def answer(text: str, folder: Path, **variables: str) -> str:
    """What the copied text prints when a shell runs it."""
    script = folder / "copied.sh"
    script.write_text(text, encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        "sh",
        str(script),
        env={**os.environ, "WORKBENCH_TOKEN": TOKEN, "NO_PROXY": "*", **variables},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    out, _ = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0
    return out.decode()


@pytest.mark.rule("H1")
@pytest.mark.parametrize("arguments", TRICKY.values(), ids=TRICKY.keys())
async def test_the_copied_request_makes_the_same_call(
    server: Server, wb: Workbench, tmp_path: Path, arguments: str
) -> None:
    text, names = await wb.inputs.curl("plain", arguments.encode(), server.url, asks_token=True)
    record = parse(await answer(text, tmp_path))
    assert isinstance(record, dict)
    assert (record["ok"], names) == (True, ())
    assert dump(record["result"]) == dump(parse(arguments))
    assert TOKEN not in text


@pytest.mark.rule("V6", "H1")
async def test_secrets_stand_as_shell_variables(server: Server, wb: Workbench, tmp_path: Path) -> None:
    for name, value in (("LINK_KEY", "correct-horse"), ("PIN", "4711471147")):
        await wb.variables.set(name, value, Scope.INSTANCE, VariableType.SECRET)
    arguments = json.dumps({"key": "is correct-horse, it's", "pin": 4711471147})
    text, names = await wb.inputs.curl("plain", arguments.encode(), server.url, asks_token=True)
    assert "correct-horse" not in text
    assert "4711471147" not in text
    assert sorted(names) == ["LINK_KEY", "PIN"]
    told = json.loads(await answer(text, tmp_path, LINK_KEY="another key", PIN="12"))
    assert told["result"] == {"key": "is another key, it's", "pin": 12}


@pytest.mark.rule("C10", "H1")
async def test_a_dry_run_and_a_server_without_a_token_are_copied_as_such(tmp_path: Path) -> None:
    text, _ = curl("put", "http://127.0.0.1:1/desk", "{}", asks_token=False, dry_run=True)
    assert "Authorization" not in text
    assert '"dryRun":true' in text
    odd, names = curl("put", "http://127.0.0.1:1/desk", '{"a":"[[secret:1-a%20b]]"}', asks_token=False)
    assert names == ("__a_b",)
    assert "${__a_b}" in odd
