"""Workers run in whatever Python from 3.9 on the project has, without anything installed there."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.hosts.conftest import Bench, RecordingLink
from workbench.engine.ports import Unavailable


def interpreter(version: str) -> Path:
    """An interpreter beside the one that runs the tests, or on the path."""
    beside = sorted(Path(sys.base_prefix).parent.glob(f"*{version}.*/bin/python"))
    on_path = shutil.which(f"python{version}")
    for path in [*beside, *([Path(on_path)] if on_path else [])]:
        if "shims" not in path.parts:
            return path
    pytest.skip(f"no Python {version} on this machine")


@pytest.mark.rule("D1")
@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13", "3.14"])
async def test_tools_load_and_run(root: Path, version: str) -> None:
    bench = Bench(root, interpreter(version))
    tool = bench.tool(
        "runs",
        """
        import asyncio, sys
        async def execute(state, args):
            state.emit("progress", {"current": 1, "total": 2})
            print("from", sys.version_info[:2])
            first, _ = await asyncio.gather(state.get_value("a"), asyncio.sleep(0))
            return ToolResult.success(f"{first} {args['n']}", attachments=[ToolAttachment.from_bytes("a", "t/p", b"x")])
        tool = define_tool(description="", args={"type": "object"}, execute=execute)
        """,
    )
    fails = bench.tool(
        "fails", "def execute():\n    1 / 0\ntool = define_tool(description='', execute=execute)"
    )
    forks = bench.tool(
        "forks",
        "import subprocess\n"
        "tool = define_tool(description='', execute=lambda: subprocess.Popen(['sleep', '604']) and 'ok')",
    )
    link = RecordingLink(lambda method, params: '"value"')

    loaded = await bench.load(tool, fails, forks)
    answer = await bench.returned(tool, {"n": 2**70}, link)

    assert all(item.raw is not None for item in loaded.values()), loaded
    assert answer.text.decode() == f"value {2**70}"
    assert link.printed() == f"from ({version.replace('.', ', ')})\n"
    assert link.emitted == [("progress", {"current": 1, "total": 2})]
    assert (await bench.raised(fails)).stack.startswith('  File "agents/tools/fails.py", line 3, in execute')
    assert len((await bench.returned(forks)).left_behind) == 1
    await bench.host.close()


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.8"])
async def test_a_python_that_is_too_old_says_so(root: Path, version: str) -> None:
    bench = Bench(root, interpreter(version))
    tool = bench.tool("any", "tool = define_tool(description='', execute=print)")

    answer = await bench.call(tool)

    assert isinstance(answer, Unavailable)
    assert f"This is Python {version}" in answer.message
    assert "3.9 or later" in answer.message
    await bench.host.close()
