"""A CommonJS module of a package as an ES module: what it requires becomes imports, what it exports can be named."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection

_NAME = r"[A-Za-z_$][\w$]*"
_ES_SYNTAX = re.compile(
    r"""^[ \t]*(?:import\s*[\w$*{"']|export\s*(?:[*{]|(?:default|const|let|var|function|class|async)\b))""",
    re.MULTILINE,
)
_COMMONJS_SYNTAX = re.compile(r"\bmodule\.exports\b|\bexports\.[\w$]+\s*=")
_REQUIRE = re.compile(r"""\brequire\s*\(\s*(["'])([^"'\n]+)\1\s*\)""")
_EXPORT = re.compile(rf"\bexports\.({_NAME})\s*=(?!=)")
_DEFINED = re.compile(rf"""\bdefineProperty\s*\(\s*(?:module\.)?exports\s*,\s*["']({_NAME})["']""")
_OBJECT = re.compile(r"\bmodule\.exports\s*=\s*\{([^{}]*)\}")
_KEY = re.compile(rf"""(?:^|,)\s*["']?({_NAME})["']?\s*(?=[:,(]|$)""")

_RESERVED = frozenset(
    (  # noqa: SIM905  (as a list it is a page long)
        "arguments await break case catch class const continue debugger default delete do else enum eval export "
        "extends false finally for function if implements import in instanceof interface let new null package "
        "private protected public return static super switch this throw true try typeof var void while with yield"
    ).split()
)


def is_es_module(source: str) -> bool:
    """Whether a `.js` file of a package that does not say what its files are is an ES module all the same."""
    return _ES_SYNTAX.search(source) is not None and _COMMONJS_SYNTAX.search(source) is None


def as_es_module(source: str, is_there: Callable[[str], bool], asked: Collection[str] = ()) -> str:
    """ECMAScript text of a module with the exports as default and, where they can be seen in the text, by name.

    `is_there` says whether a required module can be had: one that cannot is an error only when it is required.
    `asked` are names that imports ask for and the text does not show. The source keeps its lines but for the first,
    which stands behind ours. What stands for the module are functions, which are there before anything is evaluated:
    modules may require each other in a circle.
    """
    required = list(dict.fromkeys(found[2] for found in _REQUIRE.finditer(source)))
    present = [specifier for specifier in required if is_there(specifier)]
    imports = "".join(
        f"import * as $required{index} from {json.dumps(specifier)};"
        for index, specifier in enumerate(present)
    )
    table = ",".join(f"{json.dumps(specifier)}:$required{index}" for index, specifier in enumerate(present))
    seen = {name: f"$exports?.{name}" for name in _named_exports(source)}
    hidden = {name: f"named($exports, {json.dumps(name)})" for name in asked if name not in seen}
    values = sorted({**seen, **hidden}.items())
    declared = "".join(f"const $export{index} = {value};" for index, (_, value) in enumerate(values))
    listed = ",".join(["$commonjs", *(f"$export{index} as {name}" for index, (name, _) in enumerate(values))])
    return (
        f"import {{ exportsOf, named }} from 'workbench:commonjs';{imports}"
        f"function $commonjs() {{ return exportsOf($commonjs, $run, {{{table}}}); }}"
        f"function $run(module, exports, require, global, process) {{ {source}\n"
        f"}}const $exports = $commonjs();{declared}export default $exports;export {{ {listed} }};"
    )


def _named_exports(source: str) -> set[str]:
    names = {*_EXPORT.findall(source), *_DEFINED.findall(source)}
    for literal in _OBJECT.findall(source):
        names |= set(_KEY.findall(literal))
    return names - _RESERVED - {"default"}
