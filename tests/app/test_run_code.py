"""Code that tools hand over runs in the sandbox while their functions run with them, in either language."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.projects import OpenProject
from workbench.app import Workbench
from workbench.domain.calls import CallState
from workbench.domain.variables import Scope, VariableType

pytestmark = [pytest.mark.rule("X1", "X2")]

SOURCE = """
import { read } from 'files';
export default async function (n: number) {
  console.log('in', n);
  report({ at: 1 });
  const text = await read('a.txt');
  report('two');
  return { text, n: n + big, bytes: new Uint8Array([1, 2]), none: undefined, odd: [NaN, 2n ** 70n, new Date(0)] };
}
"""

HEAD = "from workbench.authoring import define_tool\n"

ASYNC = f"""
SOURCE = {SOURCE!r}

async def execute(state):
    async def read(path):
        return "contents of " + path
    heard = []
    run = state.run_code(
        SOURCE, execute={{"args": [2]}}, imports={{"files": {{"read": read}}}}, globals={{"big": 40}},
        report=heard.append,
    )
    live = [report async for report in run.reports]
    done = await run
    odd = done.result["odd"]
    return {{
        "status": done.status, "text": done.result["text"], "n": done.result["n"],
        "bytes": list(done.result["bytes"]), "none": done.result["none"],
        "odd": [odd[0] != odd[0], odd[1] == 2**70, odd[2].year], "heard": heard, "live": live,
        "kept": done.reports, "logs": done.logs,
    }}
tool = define_tool(description="x", execute=execute)
"""

PLAIN = """
def execute(state):
    def refuse(path):
        raise PermissionError("not " + path)
    ok = state.run_code("export default (a) => twice(a)", execute={"args": [4]}, globals={"twice": lambda n: n * 2})
    bad = state.run_code("export default () => { throw new RangeError('no') }", filename="mine.ts").result()
    caught = state.run_code(
        "export default async () => { try { await f('x') } catch (e) { return [e.name, e.message] } }",
        globals={"f": refuse},
    )
    endless = state.run_code("export default () => { while (true) {} }")
    endless.terminate("enough")
    stopped = endless.result()
    return [ok.result().result, bad.status, bad.error["stack"].strip(), caught.result().result,
            stopped.status, stopped.error["message"]]
tool = define_tool(description="x", execute=execute)
"""

TYPESCRIPT = """
import { defineTool } from '@standardagents/spec';
export default defineTool({
  description: 'x',
  execute: async (state) => {
    const heard: unknown[] = [];
    const run = state.runCode(
      "import { f } from 'host'; export default async (a: number) => { report(1); return [await f(a), typeof state]; }",
      { execute: { args: [20] }, imports: { host: { f: (n: number) => n + 1 } }, report: (value) => heard.push(value) },
    );
    const live: unknown[] = [];
    for await (const value of run.reports) live.push(value);
    const { status, result } = await run;
    const endless = state.runCode('for (;;) {}');
    endless.terminate('enough');
    return { status, result, heard, live, other: (await endless).status };
  },
});
"""


async def result_of(wb: Workbench, name: str) -> object:
    await wb.settled()
    record = await wb.call_tool(name, {})
    assert not record.is_error, record.result
    return record.result


def tool(project: Path, name: str, text: str, suffix: str = ".py") -> None:
    (project / f"agents/tools/{name}{suffix}").write_text((HEAD if suffix == ".py" else "") + text)


async def test_an_async_tool_reads_reports_as_they_come_and_awaits_the_result(
    project: Path, opened: OpenProject
) -> None:
    tool(project, "runs", ASYNC)
    async with opened(project) as wb:
        assert await result_of(wb, "runs") == {
            "status": "success",
            "text": "contents of a.txt",
            "n": 42,
            "bytes": [1, 2],
            "none": None,
            "odd": [True, True, 1970],
            "heard": [{"at": 1}, "two"],
            "live": [{"at": 1}, "two"],
            "kept": [{"at": 1}, "two"],
            "logs": [{"level": "log", "text": "in 2"}],
        }


async def test_a_plain_tool_waits_for_the_result_and_serves_its_functions_meanwhile(
    project: Path, opened: OpenProject
) -> None:
    tool(project, "runs", PLAIN)
    async with opened(project) as wb:
        assert await result_of(wb, "runs") == [
            8,
            "error",
            "at default (mine.ts:1:34)",
            ["PermissionError", "not x"],
            "terminated",
            "enough",
        ]


async def test_a_typescript_tool_does_the_same(project: Path, opened: OpenProject) -> None:
    tool(project, "runs", TYPESCRIPT, ".ts")
    async with opened(project) as wb:
        assert await result_of(wb, "runs") == {
            "status": "success",
            "result": [21, "undefined"],
            "heard": [1],
            "live": [1],
            "other": "terminated",
        }


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("'export default 1', colour='red'", "keyword argument"),
        ("'export default 1', execute={'args': 3}", "args is a list"),
        ("'export const a: = 1'", "Unexpected token"),
        ("'export default 1', globals={'a': object()}", "type object cannot be handed"),
    ],
)
async def test_what_cannot_be_run_says_why(project: Path, opened: OpenProject, call: str, words: str) -> None:
    text = f"""
def execute(state):
    try:
        return state.run_code({call}).result().error["message"]
    except Exception as error:
        return str(error)
tool = define_tool(description="x", execute=execute)
"""
    tool(project, "runs", text)
    async with opened(project) as wb:
        assert words in str(await result_of(wb, "runs"))


@pytest.mark.rule("X3", "V6")
async def test_a_secret_is_hidden_in_what_code_reports_logs_and_throws(
    project: Path, opened: OpenProject
) -> None:
    text = """
def execute(state):
    key = state.env("KEY")
    done = state.run_code("report(key); console.log(key); throw new Error(key)", globals={"key": key}).result()
    return [key in str(done.reports), key in str(done.logs), key in str(done.error)]
tool = define_tool(description="x", execute=execute, variables=[{"name": "KEY", "type": "secret", "required": True,
    "description": ""}])
"""
    tool(project, "runs", text)
    async with opened(project) as wb:
        await wb.settled()
        await wb.variables.set("KEY", "open sesame 42", Scope.INSTANCE, type=VariableType.SECRET)
        assert await result_of(wb, "runs") == [False, False, False]


@pytest.mark.rule("X1", "C13")
async def test_code_that_a_call_leaves_running_ends_with_it(project: Path, opened: OpenProject) -> None:
    text = """
def execute(state):
    for _ in range(20):
        try:
            state.run_code("for (;;) {}")
        except RuntimeError as error:
            return str(error)
tool = define_tool(description="x", execute=execute)
"""
    tool(project, "runs", text)
    async with opened(project) as wb:
        assert "16 runs of code are under way" in str(await result_of(wb, "runs"))
        assert "16 runs of code are under way" in str(await result_of(wb, "runs"))
        row = (await wb.calls()).rows[0]
        assert row.state is CallState.SUCCEEDED
