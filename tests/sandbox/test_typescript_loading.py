"""TypeScript definition files are described as written, or say why not and where; packages load whatever their form."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from tests.sandbox.typescript_folder import TypescriptFolder

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.rule("D1", "D3", "D4")
async def test_a_tool_is_described_as_its_author_wrote_it(folder: TypescriptFolder) -> None:
    file = folder.tool(
        "described",
        """
        args: z.object({ name: z.string().describe('Who'), tone: z.enum(Tone).default(Tone.Calm) }),
        uses: ['other'], progressArgument: 'name', annotations: { a: [1, { b: null }] },
        variables: [{ name: 'KEY', type: 'secret', required: true, description: '' }],
        needsApproval: ({ name }) => name === 'x',
        execute: async (state: ThreadState, { name }: { name: string }) => name,
        """,
        before="enum Tone { Calm = 'calm', Loud = 'loud' }\n",
    )

    loaded = await folder.load(file)

    assert loaded.problems == ()
    assert loaded.raw is not None
    assert loaded.raw["kind"] == "tool"
    assert loaded.raw["line"] == 5
    assert loaded.raw["fields"] == {
        "description": "x",
        "uses": ["other"],
        "progressArgument": "name",
        "annotations": {"a": [1, {"b": None}]},
        "variables": [{"name": "KEY", "type": "secret", "required": True, "description": ""}],
        "needsApproval": {"$function": True},
    }
    schema = json.loads(json.dumps(loaded.raw["schemas"]))["args"]
    assert schema["source"] == "model"
    assert schema["schema"]["required"] == ["name"]
    assert schema["schema"]["properties"]["tone"] == {
        "default": "calm",
        "type": "string",
        "enum": ["calm", "loud"],
    }


@pytest.mark.parametrize(
    ("text", "code", "line", "words"),
    [
        ("const a: = 3;", "syntax-error", 1, "Unexpected token"),
        ("export const a = 1;", "no-definition", 1, "no default export"),
        ("export default { description: 'x' };", "no-definition", 1, "not made by a define"),
        ("\nthrow new Error('at once');", "import-error", 2, "at once"),
        ("import 'node:fs';", "import-error", None, "'node:fs', which only Node.js has"),
        ("import 'left-pad';", "import-error", None, "npm install left-pad"),
        ("import { z } from 'zod/v3';", "import-error", None, "zod 4"),
        ("import { absent } from './near';", "import-error", None, "absent"),
        ("import '../../../outside';", "import-error", None, "outside the project"),
        (
            "import { defineTool } from '@standardagents/spec';\nexport default defineTool({ descripton: 'x' });",
            "bad-field",
            2,
            "Did you mean 'description'?",
        ),
        (
            "import { defineHook } from '@standardagents/spec';\nexport default defineHook('filter', () => 1);",
            "old-form",
            2,
            "defineHook({ hook, id, execute })",
        ),
        ("const key = process.env.KEY;\nexport default key;", "import-error", 1, "state.env"),
        ("const a = await fetch('https://example.com');\nexport default a;", "import-error", None, "execute"),
    ],
)
async def test_a_file_that_gives_no_definition_says_why_and_where(
    folder: TypescriptFolder, text: str, code: str, line: int | None, words: str
) -> None:
    folder.write("agents/tools/near.ts", "export const near = 1;")
    text = text.replace("{ absent }", "{ absent }") + ("\nabsent;" if "{ absent }" in text else "")
    text += "\nz;" if "{ z }" in text else ""

    loaded = await folder.load(folder.file("agents/tools/wrong.ts", text))

    (problem,) = loaded.problems
    assert (problem.code, problem.line if line else None) == (code, line)
    assert words in f"{problem.message} {problem.hint}"
    assert loaded.raw is None


async def test_an_import_that_leads_nowhere_is_told_shortly_with_what_to_do_beside_it(
    folder: TypescriptFolder,
) -> None:
    folder.write("lib/reads.ts", "import { readFile } from 'fs';\nexport const text = () => readFile('x');")
    own = await folder.load(folder.file("agents/tools/own.ts", "import axis from 'axis';\naxis();"))
    below = await folder.load(
        folder.file("agents/tools/below.ts", "import { text } from '../../lib/reads';\ntext();")
    )

    (problem,) = own.problems
    assert (problem.message, problem.line) == (
        "It imports 'axis', which is not in the project's node_modules.",
        1,
    )
    assert problem.hint == "Install it in the project's folder: npm install axis"
    (problem,) = below.problems
    assert problem.message == (
        "ReferenceError: lib/reads.ts imports 'fs', which only Node.js has (lib/reads.ts, line 1, column 26)"
    )
    assert "a Python tool has it all" in problem.hint


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (
            "export default defineTool({\n  description: 'x',\n\n  inputs: args,\n  args: z.object({}),\n});",
            (5, 3),
        ),
        (
            "const inputs = 1;\nconst tool = defineTool({\n  'inputs': 2,\n});\nexport default tool;",
            (4, 3),
        ),
        ("const more = { inputs: 1 };\n\nexport default defineTool({ ...more });", (4, 16)),
        ("\nexport default defineTool(\n  'x',\n);", (3, 16)),
    ],
)
async def test_a_wrong_field_is_told_at_its_line(
    folder: TypescriptFolder, text: str, place: tuple[int, int]
) -> None:
    imports = (
        "import { defineTool } from '@standardagents/spec'; import { z } from 'zod'; const args = z.any();\n"
    )

    loaded = await folder.load(folder.file("agents/tools/wrong.ts", imports + text))

    (problem,) = loaded.problems
    assert (problem.line, problem.column) == place


async def test_a_file_that_loads_for_ever_is_ended(tmp_path: Path) -> None:
    folder = TypescriptFolder(tmp_path, import_seconds=0.3)
    loaded = await folder.load(folder.file("agents/tools/slow.ts", "while (true) {}"))
    await folder.close()

    assert [problem.code for problem in loaded.problems] == ["import-timeout"]


async def test_one_bad_file_hides_no_other(folder: TypescriptFolder) -> None:
    files = [
        folder.file("agents/tools/broken.ts", "]"),
        folder.tool("whole", "execute: async () => 'x'"),
        folder.file("agents/tools/throws.ts", "throw 1;"),
    ]

    loaded = {item.file.name: item async for item in folder.host.load(files)}

    assert {name: item.raw is not None for name, item in loaded.items()} == {
        "broken": False,
        "whole": True,
        "throws": False,
    }


async def test_what_a_file_stands_on_is_told_packages_as_a_whole(folder: TypescriptFolder) -> None:
    folder.write("lib/inner.ts", "export const inner = 1;")
    folder.write("lib/outer.ts", "export * from './inner.js';")
    folder.write("node_modules/part/index.js", "exports.part = 2;")
    file = folder.tool(
        "stands", "execute: async () => inner + part",
        before="import { inner } from '../../lib/outer';\nimport { part } from 'part';",
    )  # fmt: skip

    loaded = await folder.load(file)

    read = {"agents/tools/stands.ts", "lib/outer.ts", "lib/inner.ts"}
    packages = {
        f"{folder}{name}"
        for folder in ("agents/tools/", "agents/", "")
        for name in ("node_modules", "package.json")
    }
    assert set(loaded.depends_on) == read | packages | {"tsconfig.json"}
    assert await folder.value(file) == 3


@pytest.mark.parametrize(
    ("execute", "count"),
    [
        ("async (state: ThreadState) => []", 1),
        ("state => []", 1),
        ("async function named(state, messages = []) {}", 2),
        ("(state, { a, b = [1, { c: 2 }] } = {}, last) => []", 3),
        ("(...all) => []", 9),
        ("function () { return arguments[1] }", 9),
        ("(state, messages = make(1, 2)) => []", 9),
        ("async execute(state) {}", 1),
    ],
)
async def test_what_a_function_takes_is_counted_by_its_names(
    folder: TypescriptFolder, execute: str, count: int
) -> None:
    written = execute if execute.startswith("async execute") else f"execute: {execute}"
    hook = folder.file(
        "agents/hooks/one.ts",
        "import { defineHook, type ThreadState } from '@standardagents/spec';\n"
        "const make = (...all: number[]): number[] => all;\n"
        f"export default defineHook({{ hook: 'filter_messages', id: 'one', {written} }});",
    )

    loaded = await folder.load(hook)

    assert loaded.raw is not None
    assert cast("Mapping[str, object]", loaded.raw["execute"])["parameters"] == count


async def test_a_date_that_is_made_of_text_is_a_date_time_in_the_schema(folder: TypescriptFolder) -> None:
    fields = """
  args: z.object({ since: z.coerce.date().describe('From when') }),
  execute: async () => 'x',"""

    loaded = await folder.load(folder.tool("since", fields))

    assert loaded.problems == ()
    assert loaded.raw is not None
    schemas = cast("Mapping[str, Mapping[str, Mapping[str, object]]]", loaded.raw["schemas"])
    assert schemas["args"]["schema"]["properties"] == {
        "since": {"type": "string", "format": "date-time", "description": "From when"}
    }


async def test_a_helper_that_does_not_parse_is_told_at_the_import_that_leads_to_it(
    folder: TypescriptFolder,
) -> None:
    folder.write("lib/broken.ts", "export const a = 1;\nexport const b: = 2;\n")
    folder.write("lib/between.ts", "interface A { a: 1 }\n\nexport { b } from './broken';\n")
    before = "import { b } from '../../lib/between';"
    file = folder.tool("stands_on_broken", "execute: async () => b", before=before)

    (problem,) = (await folder.load(file)).problems

    line = (folder.root / file.path).read_text().splitlines().index(before) + 1
    assert (problem.code, problem.path, problem.line) == ("syntax-error", file.path, line)
    assert "(lib/broken.ts, line 2, column " in problem.message


async def test_what_json_schema_cannot_say_is_told_at_its_field(folder: TypescriptFolder) -> None:
    before = """
const window = z.object({
  'from-day': z.date(),
});"""
    fields = """
  args: z.object({
    window,
    big: z.bigint().optional(),
    title: z.string().refine((text) => text !== ''),
    twice: z.object({ same: z.nan() }), other: z.object({ same: z.nan() }),
  }),
  execute: async () => 'x',"""
    file = folder.tool("lossy", fields, before=before)

    loaded = await folder.load(file)

    told = {(item.message.split(" is ")[0], item.line) for item in loaded.problems}
    assert {item.code for item in loaded.problems} == {"schema-part-lost"}
    assert {item.severity for item in loaded.problems} == {"info"}
    assert told == {
        ("args/properties/window/properties/from-day", 5),
        ("args/properties/big", 10),
        ("args/properties/title", 11),
        ("args/properties/twice/properties/same", 7),
        ("args/properties/other/properties/same", 7),
    }
    assert any("from-day is a Date" in item.message for item in loaded.problems)


# --- packages of other people


@pytest.mark.parametrize(
    ("files", "before", "expression", "value"),
    [
        ({"index.js": "module.exports = { a: 1, b: 2 };"}, "import { a, b } from 'part';", "a + b", 3),
        ({"index.js": "module.exports = function () { return 4; };"}, "import f from 'part';", "f()", 4),
        (
            {"index.js": "exports.x = require('./deep').y + 1;", "deep.js": "exports.y = 5;"},
            "import { x } from 'part';",
            "x",
            6,
        ),
        (
            {
                "index.js": 'Object.defineProperty(exports, "__esModule", { value: true });\nexports.default = 7;'
            },
            "import * as part from 'part';",
            "part.default.default ?? part.default",
            7,
        ),
        (
            {
                "index.js": "let fs; try { fs = require('fs'); } catch { fs = null; } exports.has = fs !== null;"
            },
            "import { has } from 'part';",
            "has",
            False,
        ),
        (
            {"package.json": '{"type":"module"}', "index.js": "export default 8;"},
            "import n from 'part';",
            "n",
            8,
        ),
        (
            {"index.js": "exports.mode = process.env.NODE_ENV;"},
            "import { mode } from 'part';",
            "mode",
            "production",
        ),
        (
            {"data.json": '{"n": 9}', "index.js": "exports.n = require('./data.json').n;"},
            "import { n } from 'part';",
            "n",
            9,
        ),
        (
            {
                "index.js": "exports.early = 1; const deep = require('./deep'); exports.sum = () => 1 + deep.late();",
                "deep.js": "const { early } = require('./index'); exports.late = () => early + 10;",
            },
            "import { sum } from 'part';",
            "sum()",
            12,
        ),
        (
            {
                "index.js": "Object.assign(exports, { hidden: 13 }); ['a'].forEach((name) => { exports[name] = 1; });"
            },
            "import { hidden, a } from 'part';",
            "hidden + a",
            14,
        ),
        (
            {"index.js": "module.exports = require('./deep');", "deep.js": "exports.again = 15;"},
            "import { again } from 'part';",
            "again",
            15,
        ),
        (
            {"package.json": '{"module":"deep.js","main":"index.js"}', "deep.js": "export const es = 16;"},
            "import { es } from 'part';",
            "es",
            16,
        ),
        (
            {
                "package.json": '{"browser":{"./deep.js":"./instead.js","os":false}}',
                "index.js": "exports.n = require('./deep').n + Object.keys(require('os')).length;",
                "deep.js": "throw new Error('needs Node.js')",
                "instead.js": "exports.n = 17;",
            },
            "import { n } from 'part';",
            "n",
            17,
        ),
        (
            {"package.json": '{"browser":"deep.js","main":"index.js"}', "deep.js": "exports.n = 18;"},
            "import { n } from 'part';",
            "n",
            18,
        ),
        (
            {
                "package.json": '{"type":"module"}',
                "index.js": "export const n = process.env.NODE_ENV !== 'production' ? 0 : 19;",
            },
            "import { n } from 'part';",
            "n",
            19,
        ),
        (
            {"package.json": '{"browser":"web.js"}', "web.js": "export const n = self.structuredClone(20);"},
            "import { n } from 'part';",
            "n",
            20,
        ),
    ],
)
async def test_packages_run_whichever_way_they_are_written(
    folder: TypescriptFolder, files: dict[str, str], before: str, expression: str, value: object
) -> None:
    shutil.rmtree(folder.root / "node_modules/part", ignore_errors=True)
    await folder.host.forget([])
    for name, text in files.items():
        folder.write(f"node_modules/part/{name}", text)

    tool = folder.tool("uses_part", f"execute: async () => ({{ value: {expression} }})", before=before)

    assert await folder.value(tool) == {"value": value}


async def test_a_name_that_a_package_does_not_have_is_an_error_that_names_it(
    folder: TypescriptFolder,
) -> None:
    folder.write("node_modules/bare/index.js", "module.exports = Object.assign(() => 1, { there: 2 });")
    file = folder.tool(
        "asks_too_much", "execute: async () => there + gone", before="import { there, gone } from 'bare';"
    )

    (problem,) = (await folder.load(file)).problems

    assert problem.code == "import-error"
    assert "no export 'gone'" in problem.message
    neighbour = folder.tool(
        "asks_little", "execute: async () => there", before="import { there } from 'bare';"
    )
    assert await folder.value(neighbour) == 2


async def test_a_file_depends_on_the_tsconfig_that_leads_its_imports(folder: TypescriptFolder) -> None:
    folder.write("tsconfig.json", '{"extends": "./base.json"}')
    folder.write("base.json", '{"compilerOptions": {"paths": {"@/*": ["./lib/*"]}}}')
    folder.write("lib/words.ts", "export const words: string = 'led';")
    file = folder.tool(
        "led", "annotations: { words }, execute: async () => 1", before="import { words } from '@/words';"
    )

    loaded = await folder.load(file)

    assert loaded.raw is not None
    assert set(loaded.depends_on) == {file.path, "lib/words.ts", "tsconfig.json", "base.json"}
