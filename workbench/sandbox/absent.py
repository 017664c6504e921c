"""Names that JavaScript has elsewhere and not here: an error that misses one says whose it is, and what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping

_UNDEFINED = re.compile(r"'?([A-Za-z_$][\w$]*)'? is not defined$")
_MISSED = re.compile(r"cannot read property '(\w+)' of undefined$")

_NODE = "It is of Node.js, and there is none here."
_BYTES = "Uint8Array has toBase64, toHex, and fromBase64; TextEncoder and TextDecoder turn text into bytes and back."
_HASHES = "A package of plain ECMAScript can do it, such as @noble/hashes, or a tool in Python."
_FOR_TOOLS = (
    "Files of tools have it. What run_code runs has the language only: hand it over with imports or globals."
)
_BROWSER = "It is of browsers, and there is none here."

_WORDS: Mapping[str, str] = {
    "Buffer": f"{_NODE} {_BYTES}",
    "process": f"{_NODE} Under agents/ a tool reads its variables with await state.env(name), "
    "under bot/ it has process.env.",
    "require": f"{_NODE} Write import … from '…'.",
    "module": f"{_NODE} Write export.",
    "exports": f"{_NODE} Write export.",
    "__dirname": f"{_NODE} A JSON file can be imported; state has the files of the thread.",
    "__filename": f"{_NODE} A JSON file can be imported; state has the files of the thread.",
    "global": f"{_NODE} Write globalThis.",
    "Intl": "The sandbox knows of no languages and no time zones but UTC. toISOString and toFixed are there; "
    "else a package of plain ECMAScript, or a tool in Python.",
    "WebAssembly": "The sandbox runs ECMAScript only. A tool in Python can do more.",
    **dict.fromkeys(("Blob", "File", "FormData", "ReadableStream"), f"The sandbox has bytes only. {_BYTES}"),
    **dict.fromkeys(
        ("WebSocket", "EventSource", "XMLHttpRequest"),
        "Files of tools have fetch; a tool in Python can do more.",
    ),
    **dict.fromkeys(("window", "document", "navigator", "localStorage", "Worker"), _BROWSER),
    **dict.fromkeys(
        (  # noqa: SIM905  (as a list it is a page long)
            "setTimeout setInterval clearTimeout fetch URL URLSearchParams TextEncoder TextDecoder structuredClone "
            "AbortController AbortSignal crypto performance queueMicrotask atob btoa Headers Request Response"
        ).split(),
        _FOR_TOOLS,
    ),
}


def instead_of(message: str, line: str) -> str:
    """What to add to the words of an error that came of this line; empty where nothing is to be said."""
    if found := _UNDEFINED.fullmatch(message):
        return _WORDS.get(found[1], "")
    missed = _MISSED.fullmatch(message)
    if missed and re.search(rf"\bsubtle\s*[!?]?\.\s*{missed[1]}\b", line):
        return f"crypto has what is random, and no subtle. {_HASHES}"
    return ""
