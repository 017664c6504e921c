"""Imports of a project's files lead where Node's own rules for ES modules say, and never out of the project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.sandbox.resolution import ImportRefused, Resolver

TOOL = "agents/tools/look.ts"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, TOOL, "")
    return tmp_path


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def package(root: Path, name: str, **manifest: object) -> str:
    folder = f"node_modules/{name}"
    write(root, f"{folder}/package.json", json.dumps({"name": name, **manifest}))
    return folder


@pytest.mark.parametrize(
    ("written", "file"),
    [
        ("./near", "agents/tools/near.ts"),
        ("./near.js", "agents/tools/near.ts"),
        ("./plain", "agents/tools/plain.js"),
        ("./data.json", "agents/tools/data.json"),
        ("../../lib", "lib/index.ts"),
        ("../../lib/v1.2", "lib/v1.2.ts"),
    ],
)
def test_a_relative_import_is_found_as_editors_find_it(root: Path, written: str, file: str) -> None:
    write(root, file, "")

    assert Resolver(root).resolve(written, TOOL) == file


def test_a_file_as_written_comes_before_one_with_a_guessed_suffix(root: Path) -> None:
    write(root, "agents/tools/near.js", "")
    write(root, "agents/tools/near.ts", "")

    assert Resolver(root).resolve("./near.js", TOOL) == "agents/tools/near.js"


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("./absent", "no such file"),
        ("../../../secret", "outside the project"),
        ("/etc/passwd", "begins with ./"),
        ("node:fs", "only Node.js has"),
        ("fs/promises", "only Node.js has"),
        ("https://example.com/x.js", "from the project only"),
        ("file:///etc/passwd", "from the project only"),
        ("workbench:state", "only Workbench itself"),
        ("zod/v3", "zod 4"),
        ("left-pad", "npm install left-pad"),
        ("@scope/part/inner", "npm install @scope/part"),
        ("#own", "no package.json"),
    ],
)
def test_an_import_that_leads_nowhere_names_itself_and_says_what_to_do(
    root: Path, written: str, words: str
) -> None:
    with pytest.raises(ImportRefused) as refused:
        Resolver(root).resolve(written, TOOL)

    assert repr(written) in refused.value.message
    assert words in f"{refused.value.message} {refused.value.hint}"


def test_a_link_out_of_the_project_is_refused(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.ts"
    outside.write_text("")
    (root / "agents/tools/secret.ts").symlink_to(outside)

    with pytest.raises(ImportRefused, match="outside the project"):
        Resolver(root).resolve("./secret", TOOL)


@pytest.mark.parametrize(
    ("exports", "written", "file"),
    [
        ("./main.mjs", "part", "main.mjs"),
        ({"import": "./esm.js", "require": "./cjs.cjs"}, "part", "esm.js"),
        ({"require": "./cjs.cjs", "import": "./esm.js"}, "part", "esm.js"),
        ({"node": "./node.js", "default": "./any.js"}, "part", "any.js"),
        ({"require": "./cjs.cjs"}, "part", "cjs.cjs"),
        ({".": {"types": "./x.d.ts", "import": {"default": "./deep.js"}}}, "part", "deep.js"),
        ({"./one": "./lib/one.js"}, "part/one", "lib/one.js"),
        ({"./*": "./lib/*.js", "./in/*": "./inner/*.js"}, "part/in/a/b", "inner/a/b.js"),
        ({".": ["./absent-condition", "./x.js"]}, "part", "absent-condition"),
    ],
)
def test_a_package_is_entered_where_its_exports_say(
    root: Path, exports: object, written: str, file: str
) -> None:
    folder = package(root, "part", exports=exports)
    write(root, f"{folder}/{file}", "")
    if "." not in file:
        write(root, f"{folder}/{file}.js", "")
        file += ".js"

    assert Resolver(root).resolve(written, TOOL) == f"{folder}/{file}"


def test_what_a_package_does_not_export_is_refused(root: Path) -> None:
    folder = package(root, "part", exports={".": "./x.js"})
    write(root, f"{folder}/inner.js", "")

    with pytest.raises(ImportRefused, match="does not export"):
        Resolver(root).resolve("part/inner.js", TOOL)


@pytest.mark.parametrize(
    ("manifest", "file"),
    [({"module": "esm.js", "main": "cjs.js"}, "esm.js"), ({"main": "lib"}, "lib/index.js"), ({}, "index.js")],
)
def test_an_older_package_is_entered_by_its_main_fields(
    root: Path, manifest: dict[str, object], file: str
) -> None:
    folder = package(root, "part", **manifest)
    write(root, f"{folder}/{file}", "")

    assert Resolver(root).resolve("part", TOOL) == f"{folder}/{file}"


def test_the_nearest_node_modules_wins_and_a_package_finds_its_own(root: Path) -> None:
    outer = package(root, "part")
    write(root, f"{outer}/index.js", "")
    write(root, f"{outer}/node_modules/deep/index.js", "")
    write(root, "agents/node_modules/part/index.js", "")

    resolver = Resolver(root)

    assert resolver.resolve("part", TOOL) == "agents/node_modules/part/index.js"
    assert resolver.resolve("deep", f"{outer}/index.js") == f"{outer}/node_modules/deep/index.js"


def test_a_package_with_the_name_of_a_module_of_node_stands_in_for_it(root: Path) -> None:
    folder = package(root, "events")
    write(root, f"{folder}/index.js", "")

    assert Resolver(root).resolve("events", TOOL) == f"{folder}/index.js"


def test_own_imports_of_a_package_json_are_followed(root: Path) -> None:
    write(root, "package.json", json.dumps({"imports": {"#lib/*": "./src/*.ts"}}))
    write(root, "src/a.ts", "")

    assert Resolver(root).resolve("#lib/a", TOOL) == "src/a.ts"


@pytest.mark.parametrize(
    ("name", "manifest", "form"),
    [
        ("agents/tools/x.ts", None, "typescript"),
        ("agents/tools/x.js", None, "javascript"),
        ("agents/tools/x.json", None, "json"),
        ("node_modules/part/x.js", {}, "commonjs"),
        ("node_modules/part/x.js", {"type": "module"}, "javascript"),
        ("node_modules/part/x.mjs", {}, "javascript"),
        ("node_modules/part/x.cjs", {"type": "module"}, "commonjs"),
    ],
)
def test_how_a_file_is_read_follows_its_suffix_and_its_package(
    root: Path, name: str, manifest: dict[str, object] | None, form: str
) -> None:
    if manifest is not None:
        package(root, "part", **manifest)

    assert Resolver(root).module(name).form == form


def test_a_package_that_is_linked_to_finds_what_lies_beside_it(root: Path) -> None:
    kept = "node_modules/.kept/part@1/node_modules"
    write(root, f"{kept}/part/index.js", "")
    write(root, f"{kept}/deep/index.js", "")
    (root / "node_modules/part").symlink_to(root / kept / "part")

    resolver = Resolver(root)
    entered = resolver.resolve("part", TOOL)

    assert entered == f"{kept}/part/index.js"
    assert resolver.resolve("deep", entered) == f"{kept}/deep/index.js"


@pytest.mark.parametrize(
    ("manifest", "written"),
    [
        ({"exports": "../../agents/tools/look.ts"}, "part"),
        ({"exports": "/etc/hostname"}, "part"),
        ({"exports": {"./*": "./*"}}, "part/../../agents/tools/look.ts"),
        ({"main": "/etc/hostname"}, "part"),
        ({"main": "../../agents/tools/look.ts"}, "part"),
        ({}, "part/../../agents/tools/look"),
    ],
)
def test_no_package_leads_out_of_itself(root: Path, manifest: dict[str, object], written: str) -> None:
    package(root, "part", **manifest)

    with pytest.raises(ImportRefused, match="the package has no file"):
        Resolver(root).resolve(written, TOOL)


def test_own_imports_that_lead_in_a_circle_lead_nowhere(root: Path) -> None:
    write(root, "package.json", json.dumps({"imports": {"#a": "#b", "#b": "#a"}}))

    with pytest.raises(ImportRefused, match=r"no package\.json"):
        Resolver(root).resolve("#a", TOOL)


CONFIG = """{
  // names that need no ../..
  "extends": "./base",
  "compilerOptions": {
    "paths": { "@/*": ["./absent/*", "./agents/*"], "@/lib/*": ["./lib/*"], "~words": ["lib/words.ts"], /* last */ },
  },
}"""


@pytest.mark.parametrize(
    ("written", "file"),
    [
        ("@/tools/near", "agents/tools/near.ts"),
        ("@/lib/words", "lib/words.ts"),
        ("@/lib/words.js", "lib/words.ts"),
        ("~words", "lib/words.ts"),
    ],
)
def test_what_tsconfig_says_of_paths_is_followed(root: Path, written: str, file: str) -> None:
    write(root, "tsconfig.json", CONFIG)
    write(root, file, "")

    assert Resolver(root).resolve(written, TOOL) == file


def test_paths_may_come_from_a_file_that_tsconfig_extends_and_stand_below_a_base(root: Path) -> None:
    write(root, "tsconfig.json", '{"extends": ["./config/base.json", "@scope/other"]}')
    write(root, "config/base.json", '{"compilerOptions": {"baseUrl": "../lib", "paths": {"@/*": ["in/*"]}}}')
    write(root, "lib/in/a.ts", "")
    write(root, "lib/b.ts", "")

    resolver = Resolver(root)

    assert (resolver.resolve("@/a", TOOL), resolver.resolve("b", TOOL)) == ("lib/in/a.ts", "lib/b.ts")


def test_a_path_of_tsconfig_with_no_file_is_named(root: Path) -> None:
    write(root, "tsconfig.json", CONFIG)

    with pytest.raises(ImportRefused) as refused:
        Resolver(root).resolve("@/lib/absent", TOOL)

    assert "tsconfig.json leads it to lib/absent" in refused.value.hint


@pytest.mark.parametrize("is_absolute", [False, True])
def test_a_path_of_tsconfig_leads_to_the_project_only(tmp_path: Path, is_absolute: bool) -> None:
    root = tmp_path / "project"
    write(root, TOOL, "")
    write(tmp_path, "outside/secret.ts", "")
    target = f"{tmp_path}/outside/*" if is_absolute else "../outside/*"
    write(root, "tsconfig.json", json.dumps({"compilerOptions": {"paths": {"@/*": [target]}}}))

    with pytest.raises(ImportRefused, match="outside the project"):
        Resolver(root).resolve("@/secret", TOOL)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"extends": "./tsconfig"}', '{"compilerOptions": {"paths": {"x": 1}}}']
)
def test_a_tsconfig_that_cannot_be_read_leads_nowhere(root: Path, text: str) -> None:
    write(root, "tsconfig.json", text)

    with pytest.raises(ImportRefused, match="node_modules"):
        Resolver(root).resolve("x", TOOL)
