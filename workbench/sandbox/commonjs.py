"""A CommonJS module of a package as an ES module: what it requires becomes imports, what it exports can be named."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

_NAME = r"[A-Za-z_$][\w$]*"
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


def as_es_module(source: str, is_there: Callable[[str], bool]) -> str:
    """ECMAScript text of a module with the exports as default and, where they can be seen in the text, by name.

    `is_there` says whether a required module can be had: one that cannot is an error only when it is required.
    The source keeps its lines but for the first, which stands behind ours.
    """
    required = list(dict.fromkeys(found[2] for found in _REQUIRE.finditer(source)))
    present = [specifier for specifier in required if is_there(specifier)]
    imports = "".join(
        f"import * as $required{index} from {json.dumps(specifier)};"
        for index, specifier in enumerate(present)
    )
    table = ",".join(f"{json.dumps(specifier)}:$required{index}" for index, specifier in enumerate(present))
    names = sorted(_named_exports(source))
    declared = "".join(f"const $export{index} = $module.exports.{name};" for index, name in enumerate(names))
    listed = ",".join(f"$export{index} as {name}" for index, name in enumerate(names))
    exports = f"export {{ {listed} }};" if names else ""
    return (
        f"{imports}import {{ requiring }} from 'workbench:commonjs';"
        f"const $module = {{ exports: {{}} }};"
        f"(function (module, exports, require, global, process) {{ {source}\n"
        f"}}).call($module.exports, $module, $module.exports, requiring({{{table}}}), globalThis, "
        f"{{ env: {{ NODE_ENV: 'production' }} }});"
        f"{declared}export default $module.exports;{exports}"
    )


def _named_exports(source: str) -> set[str]:
    names = {*_EXPORT.findall(source), *_DEFINED.findall(source)}
    for literal in _OBJECT.findall(source):
        names |= set(_KEY.findall(literal))
    return names - _RESERVED - {"default"}
