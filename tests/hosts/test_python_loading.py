"""What a definition file gives when it is loaded, and what is said of one that gives nothing (D1, D3, D4)."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

from tests.hosts.conftest import Bench, RecordingLink, answer_after
from workbench.domain.definitions import DefinitionFile, Diagnostic
from workbench.engine.ports import Raised

GOOD = "tool = define_tool(description='good', execute=lambda: 'good')"


async def raw(bench: Bench, file: DefinitionFile) -> dict[str, Any]:
    loaded = (await bench.load(file))[file.name]
    assert not loaded.problems
    assert loaded.raw is not None
    return cast("dict[str, Any]", loaded.raw)


async def problem(bench: Bench, file: DefinitionFile) -> Diagnostic:
    loaded = (await bench.load(file))[file.name]
    assert loaded.raw is None
    assert len(loaded.problems) == 1
    assert loaded.problems[0].path == file.path
    return loaded.problems[0]


@pytest.mark.rule("D3", "D6")
async def test_fields_come_as_they_were_written(bench: Bench) -> None:
    tool = bench.tool(
        "full",
        """
        async def execute(state, args, *, more=None): ...

        tool = define_tool(
            description="Does it.",
            args={"type": "object", "properties": {"a": {"type": "integer"}}},
            execute=execute,
            variables=[Variable("KEY", required=False, description="a key"), {"name": "X", "type": "text"}],
            uses=("one", "two"),
            progress_argument="a",
            annotations={"big": 2**70, "odd": {1, 2}, "nested": [{"f": print}]},
            needs_approval=lambda args: True,
        )
        """,
    )

    definition = await raw(bench, tool)

    assert definition["kind"] == "tool"
    assert definition["line"] == 4
    assert definition["execute"] == {"async": True, "parameters": 2, "line": 2}
    assert definition["schemas"] == {
        "args": {"source": "plain", "schema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
    }
    assert definition["fields"] == {
        "description": "Does it.",
        "variables": [
            {"name": "KEY", "type": "secret", "required": False, "scoped": False, "description": "a key"},
            {"name": "X", "type": "text"},
        ],
        "uses": ["one", "two"],
        "progressArgument": "a",
        "annotations": {"big": 2**70, "odd": {"$notJson": "set"}, "nested": [{"f": {"$function": True}}]},
        "needsApproval": {"$function": True},
    }


async def test_odd_values_are_marked_and_never_cost_the_definition(bench: Bench) -> None:
    tool = bench.tool(
        "odd",
        """
        from decimal import Decimal
        from types import MappingProxyType
        loop = {}
        loop["self"] = loop
        tool = define_tool(
            description="", execute=print,
            annotations={"d": Decimal("1.5"), "l": "\\ud800", "k": {"\\ud800": 1}, "n": float("nan"), "b": 10**5000},
            uses=loop, args=MappingProxyType({"type": "object", "minProperties": Decimal("1")}))
        """,
    )

    definition = await raw(bench, tool)

    assert definition["fields"]["annotations"] == {
        "d": {"$notJson": "Decimal"},
        "l": {"$notJson": "str"},
        "k": {"$notJson": "dict"},
        "n": {"$notJson": "float"},
        "b": {"$notJson": "int"},
    }
    assert definition["fields"]["uses"] == {"$notJson": "dict"}
    assert definition["schemas"]["args"]["schema"] == {"type": "object", "minProperties": 1}


async def test_a_definition_that_fails_when_it_is_looked_at_is_a_problem(bench: Bench) -> None:
    tool = bench.tool(
        "trap",
        """
        class Trap(dict):
            def items(self):
                raise OSError("sprung")
        tool = define_tool(description="", execute=print, annotations=Trap(a=1))
        """,
    )

    found = await problem(bench, tool)

    assert (found.code, found.message) == ("bad-field", "The definition cannot be read: sprung")


@pytest.mark.rule("D1", "D4")
async def test_the_decorator_is_the_same_thing_and_so_is_the_short_import(bench: Bench) -> None:
    bench.write(
        "agents/tools/short.py",
        """\
        from workbench import define_tool, ToolResult, ThreadState, Variable, prompt

        @define_tool(description=prompt('''
            One.
              Two.
        '''))
        def anything(state):
            return "called"
        """,
    )
    file = bench.found("agents/tools/short.py", b"1")

    definition = await raw(bench, file)

    assert definition["fields"]["description"] == "One.\n  Two."
    assert (definition["line"], definition["execute"]["parameters"]) == (3, 1)
    assert await bench.value(file) == "called"


@pytest.mark.rule("D4")
async def test_schemas_come_from_models_mappings_and_annotations(bench: Bench) -> None:
    model = "from pydantic import BaseModel\nclass Args(BaseModel):\n    a: int = 1\n"
    given = bench.tool("given", model + "tool = define_tool(description='', args=Args, execute=print)")
    annotated = bench.tool(
        "annotated",
        "from __future__ import annotations\n" + model + "def execute(state: ThreadState, args: Args): ...\n"
        "tool = define_tool(description='', execute=execute)",
    )
    bench.write(
        annotated.path,
        "from __future__ import annotations\nfrom typing import TYPE_CHECKING\nfrom pydantic import BaseModel\n"
        "from workbench import define_tool\n"
        "if TYPE_CHECKING:\n    from nowhere import ThreadState\n"
        "class Args(BaseModel):\n    a: int = 1\n"
        "def execute(state: ThreadState, args: Args): ...\n"
        "tool = define_tool(description='', execute=execute)\n",
    )
    asked = bench.tool(
        "asked",
        model + "def execute(input: Args, ctx): ...\ntool = define_tool(description='', execute=execute)",
        folder="bot/tools",
    )
    expected = {
        "type": "object",
        "title": "Args",
        "properties": {"a": {"type": "integer", "title": "A", "default": 1}},
    }

    assert (await raw(bench, given))["schemas"] == {"args": {"source": "model", "schema": expected}}
    assert (await raw(bench, annotated))["schemas"] == {"args": {"source": "annotation", "schema": expected}}
    assert (await raw(bench, asked))["schemas"] == {
        "inputSchema": {"source": "annotation", "schema": expected}
    }


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ("42", "Expected a pydantic model or a JSON Schema mapping, found a value of type int."),
        ("int", "Expected a pydantic model or a JSON Schema mapping, found the class int."),
        ("{'default': float('nan')}", "The schema is not JSON. The value at default is nan"),
        ("type('M', (), {'__fields__': {}})", "M is a model of pydantic 1"),
    ],
)
async def test_what_is_no_schema_is_named(bench: Bench, args: str, words: str) -> None:
    tool = bench.tool("odd", f"tool = define_tool(description='', args={args}, execute=print)")

    assert (await raw(bench, tool))["schemas"]["args"]["error"].startswith(words)


@pytest.mark.parametrize(
    ("source", "code", "line", "words"),
    [
        ("def f(:\n    pass", "syntax-error", 2, "invalid syntax"),
        ("x = 'abc", "syntax-error", 2, "unterminated string"),
        ("x = '\\0'\n\0", "syntax-error", None, "null bytes"),
        ("return 3", "syntax-error", 2, "'return' outside function"),
        ("x = 1\ny = undefined", "import-error", 3, "NameError: name 'undefined' is not defined"),
        (
            "from workbench.authoring import PromptSide\nPromptSide('x', max_step=3)",
            "bad-field",
            3,
            "PromptSide has no field 'max_step'. Did you mean 'max_steps'?",
        ),
        ("import nowhere_at_all", "import-error", 2, "No module named 'nowhere_at_all'"),
        ("import json\njson.loads('{')", "import-error", 3, "JSONDecodeError"),
        ("raise KeyboardInterrupt", "import-error", 2, "KeyboardInterrupt"),
        ("import sys\nsys.exit(4)", "import-exit", 3, "sys.exit(4)"),
        ("import os\nos._exit(4)", "import-exit", None, "exited with code 4"),
        (
            "import ctypes\nctypes.string_at(0)",
            "import-exit",
            None,
            "ended while it imported the file: killed by SIGSEGV.",
        ),
        ("x = 1", "no-definition", 1, "define_tool"),
        (
            "a = define_tool(description='')\nb = define_tool(description='')",
            "many-definitions",
            3,
            "a (line 2), b (line 3)",
        ),
        (
            "a = define_tool(description='',\n    progressArgument='x')",
            "bad-field",
            2,
            "Did you mean 'progress_argument'?",
        ),
        ("a = define_tool('positional')", "bad-field", 2, "named fields only"),
        (
            "a = define_tool(description='', name='x')",
            "bad-field",
            2,
            "a tool's name is the name of its file",
        ),
    ],
)
@pytest.mark.rule("D1")
async def test_a_file_without_a_definition_says_why_and_hides_no_neighbour(
    bench: Bench, source: str, code: str, line: int | None, words: str
) -> None:
    bad = bench.tool("bad", source)
    good = bench.tool("good", GOOD)

    loaded = await bench.load(bad, good)

    assert loaded["good"].raw is not None
    found = loaded["bad"].problems[0]
    assert (found.code, found.line) == (code, line)
    assert words in found.message


async def test_a_syntax_error_in_a_helper_is_placed_at_the_import(bench: Bench) -> None:
    bench.write("bot/lib/broken.py", "x = (\n")
    tool = bench.tool("uses", "import bot.lib.broken\n" + GOOD)

    found = await problem(bench, tool)

    assert (found.code, found.line) == ("import-error", 2)
    assert "bot/lib/broken.py, line 1" in found.message


async def test_a_missing_package_comes_with_the_command_that_installs_it(bench: Bench) -> None:
    missing = await problem(bench, bench.tool("missing", "import nowhere_at_all\n" + GOOD))
    (bench.root / "bot").mkdir()
    misspelt = await problem(bench, bench.tool("misspelt", "import bot.nowhere\n" + GOOD))

    assert "python3 -m venv .venv && .venv/bin/pip install nowhere_at_all" in missing.hint
    assert missing.hint.endswith(f"{sys.executable} -m pip install nowhere_at_all")
    assert misspelt.hint == ""


async def test_a_file_that_never_ends_its_import_is_given_up_and_its_neighbours_load(root: Path) -> None:
    bench = Bench(root, import_seconds=0.5)
    slow = bench.tool("a_slow", "while True:\n    pass\n")
    good = bench.tool("b_good", GOOD)

    loaded = await bench.load(slow, good)

    assert loaded["b_good"].raw is not None
    assert [found.code for found in loaded["a_slow"].problems] == ["import-timeout"]
    await bench.host.close()


async def test_an_imported_definition_is_not_a_second_one(bench: Bench) -> None:
    bench.tool("first", GOOD)
    second = bench.tool(
        "second", "from agents.tools.first import tool as other\n" + GOOD + "\nalias = tool\n"
    )
    passes_on = bench.tool("third", "from agents.tools.first import tool\n")

    assert (await raw(bench, second))["line"] == 3
    assert (await raw(bench, passes_on))["fields"]["description"] == "good"


@pytest.mark.rule("D1")
async def test_helpers_are_imported_from_the_project_root_and_named_as_dependencies(bench: Bench) -> None:
    bench.write("bot/lib/deep.py", "VALUE = 7\n")
    bench.write("bot/lib/near.py", "from .deep import VALUE\n")
    bench.write("bot/lib/late.py", "")
    bench.write("shared/__init__.py", "")
    tool = bench.tool(
        "uses",
        """
        import json, shared
        from bot.lib import near
        def execute(input):
            import bot.lib.late
            return near.VALUE
        tool = define_tool(description="", execute=execute)
        """,
        folder="bot/tools",
    )

    loaded = (await bench.load(tool))["uses"]

    assert loaded.depends_on == (
        "bot/lib/deep.py",
        "bot/lib/late.py",
        "bot/lib/near.py",
        "shared/__init__.py",
    )
    assert await bench.value(tool) == 7


async def test_a_broken_file_still_names_what_it_depends_on(bench: Bench) -> None:
    bench.write("bot/lib/broken.py", "raise ValueError\n")
    tool = bench.tool("uses", "from bot.lib.broken import x\n" + GOOD)

    assert (await bench.load(tool))["uses"].depends_on == ("bot/lib/broken.py",)


async def test_changed_files_are_run_anew(bench: Bench) -> None:
    bench.write("bot/lib/rate.py", "RATE = 1\n")
    source = "from bot.lib.rate import RATE\ntool = define_tool(description='', execute=lambda: RATE)"
    tool = bench.tool("rate", source)
    assert await bench.value(tool) == 1

    bench.write("bot/lib/rate.py", "RATE = 2\n")
    await bench.host.forget(["bot/lib/rate.py"])
    assert await bench.value(tool) == 2

    content = bench.write(tool.path, "from workbench import *\n" + source.replace(": RATE", ": -RATE"))
    edited = bench.found(tool.path, content.read_bytes())
    assert await bench.value(edited) == -2


async def test_a_busy_worker_with_old_code_finishes_and_gets_no_other_call(bench: Bench) -> None:
    source = """
        def execute(state):
            state.get_value("go")
            return "old"
        tool = define_tool(description="", execute=execute)
        """
    tool = bench.tool("slow", source)
    go = asyncio.Event()
    link = RecordingLink(answer_after(go))
    _, task = bench.start(tool, link=link)
    await asyncio.wait_for(link.was_asked.wait(), 30)

    await bench.host.forget([tool.path])
    (bench.root / tool.path).write_text((bench.root / tool.path).read_text().replace("old", "new"))
    assert await bench.value(tool) == "new"
    go.set()

    answer = await task
    assert getattr(answer, "text", b"") == b"old"
    assert await bench.value(tool) == "new"


async def test_a_call_of_a_file_that_no_longer_loads_says_so(bench: Bench) -> None:
    tool = bench.tool("gone", GOOD)
    (bench.root / tool.path).unlink()

    answer = await bench.call(tool)

    assert isinstance(answer, Raised)
    assert (answer.kind, answer.type) == ("load_error", "import-error")


async def test_nothing_is_written_into_the_project(bench: Bench) -> None:
    bench.write("bot/lib/helper.py", "")
    tool = bench.tool("good", "import bot.lib.helper\n" + GOOD)
    before = sorted(bench.root.rglob("*"))

    await bench.load(tool)
    await bench.value(tool)

    assert sorted(bench.root.rglob("*")) == before


def _imported_by(*modules: str) -> set[str]:
    """Packages and modules of the library that are there when these are imported."""
    program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in ran.stdout.split() if not name.startswith("_")}


async def test_no_file_of_the_project_stands_in_for_the_library(bench: Bench) -> None:
    for name in {"json", "types", "workbench", *_imported_by("asyncio", "tempfile")}:
        bench.write(f"{name}.py", "raise ImportError('shadow')")
    tool = bench.tool(
        "good",
        """
        async def execute(state):
            import tempfile
            return await state.get_value("x") or "good"
        tool = define_tool(description="", execute=execute)
        """,
    )

    assert (await bench.load(tool))["good"].raw is not None
    assert await bench.value(tool) == "good"


@pytest.mark.rule("D1")
async def test_of_workbench_the_project_sees_authoring_and_worker_only(bench: Bench) -> None:
    tool = bench.tool(
        "looks",
        """
        import importlib, os, sys, workbench
        def importable(name):
            try:
                importlib.import_module(f"workbench.{name}")
                return True
            except ImportError:
                return False
        tool = define_tool(description="", execute=lambda: [
            name for name in ("authoring", "worker", "engine", "base", "hosts", "app") if importable(name)])
        """,
    )

    assert await bench.value(tool) == ["authoring", "worker"]


@pytest.mark.rule("X3")
async def test_workers_inherit_the_environment_and_start_in_the_project(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_SETTING", "from outside")
    bench = Bench(root)
    tool = bench.tool(
        "where",
        """
        import os
        def execute():
            here = [os.environ["SOME_SETTING"], os.getcwd()]
            os.chdir("/")
            return here
        tool = define_tool(description="", execute=execute)
        """,
    )

    for _ in range(2):
        assert await bench.value(tool) == ["from outside", str(root)]
    await bench.host.close()
