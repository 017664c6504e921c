"""Builds the sandbox for JavaScript and TypeScript into `resources/sandbox`: `python3 packaging/sandbox/build.py`.

Takes QuickJS, a C compiler, zod and the TypeScript compiler from the package registries (about 100 MB, once), each
checked against its hash, and about a minute. What was built is kept in the person's cache folder by its content: the
next checkout copies it. The same inputs give the same bytes.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inputs import Inputs

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OUTPUT = ROOT / "resources" / "sandbox"
GUEST = HERE / "guest"

C_SOURCES = ("shim.c", "wire.c")
QUICKJS_SOURCES = ("quickjs.c", "libregexp.c", "libunicode.c", "dtoa.c")
COMPILE = (
    *("cc", "-target", "wasm32-wasi", "-O2", "-mexec-model=reactor", "-DNDEBUG", "-D_GNU_SOURCE"),
    *("-fno-sanitize=undefined", "-D_WASI_EMULATED_SIGNAL", "-D_WASI_EMULATED_PROCESS_CLOCKS", "-w"),
)
LINK = (
    *("-Wl,--export=__stack_pointer", "-Wl,-z,stack-size=1048576", "-Wl,-s"),
    *("-lwasi-emulated-process-clocks", "-lwasi-emulated-signal"),
)

# Every sandbox begins with these; `run_code` has nothing more.
START = ("sb:boot.js", "sb:console.js")
PLAIN = (*START, "sb:plain.js")
PROVIDERS = (
    "anthropic",
    "cerebras",
    "deepinfra",
    "google",
    "groq",
    "novita",
    "openai",
    "openrouter",
    "test",
    "xai",
)
OURS = tuple(
    (  # noqa: SIM905 # as a list it is half a page
        "aborting agent_sdk bytes call_view cloning code commonjs context crypto definitions describing environment "
        "events fetch host providers punycode returning scratch spec state text_coding timers "
        "tools url watching"
    ).split()
)
# What files of tools may import, by specifier; those that begin with `workbench:` only our own modules may.
SPECIFIERS = {
    "zod": "sb:zod/index.js",
    "zod/v4": "sb:zod/v4/index.js",
    "zod/v4/core": "sb:zod/v4/core/index.js",
    "zod/mini": "sb:zod/v4/mini/index.js",
    "zod/v4/mini": "sb:zod/v4/mini/index.js",
    "@standardagents/spec": "sb:spec.js",
    "@standardagents/builder": "sb:spec.js",
    "@grok/agent-sdk": "sb:agent_sdk.js",
    "@grok/agent-sdk/tools": "sb:agent_sdk.js",
    "@grok/agent-sdk/prompt": "sb:agent_sdk.js",
    **{f"@standardagents/{provider}": "sb:providers.js" for provider in PROVIDERS},
    **{f"workbench:{name}": f"sb:{name}.js" for name in OURS},
}
TOOLS = (*START, "sb:web.js", "sb:locales.js", *dict.fromkeys(SPECIFIERS.values()), "sb:warm.js")
# zod's words for errors in fifty languages would be most of the image.
ONLY_ENGLISH = 'export { default as en } from "./en.js";\n'


def main() -> None:
    """Build what is missing; says what it does, and ends with 1 and one line when it cannot."""
    if importlib.util.find_spec("wasmtime") is None:  # the freezer runs the engine
        _become_the_checkouts_python()
    from freeze import FreezeError
    from inputs import InputError

    try:
        build(OUTPUT, _cache())
    except (FreezeError, InputError, OSError) as error:
        sys.exit(f"The sandbox for TypeScript could not be built: {error}")


def build(output: Path, cache: Path) -> None:
    """Make `output` hold the sandbox of these sources, from the cache where that has it."""
    key = content_key()
    if _key_of(output) == key:
        return
    kept = cache / key
    if _key_of(kept) != key:
        say("Building the sandbox for TypeScript, once: about 100 MB of downloads and a minute …")
        started = time.monotonic()
        _build(kept, cache, key)
        say(f"The sandbox is built after {time.monotonic() - started:.0f} s.")
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".sandbox-") as passing:
        shutil.copytree(kept, Path(passing, "new"))
        shutil.rmtree(output, ignore_errors=True)
        Path(passing, "new").rename(output)


def content_key() -> str:
    """The hash of all that could change what is built."""
    return _hash(path for path in HERE.rglob("*") if path.suffix in {".py", ".c", ".h", ".js", ".lock"})


def _engine_key() -> str:
    files = [*(GUEST / name for name in (*C_SOURCES, "wire.h")), HERE / "inputs.lock", HERE / "patches.py"]
    return _hash(files, *COMPILE, *LINK)


def _hash(files: Iterable[Path], *words: str) -> str:
    found = hashlib.sha256("\0".join(words).encode())
    for file in sorted(files):
        found.update(f"{file.relative_to(HERE)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()[:32]


def _key_of(folder: Path) -> str | None:
    """The key that a folder was built for, if all of it is there."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        whole = all((folder / name).stat().st_size == one["size"] for name, one in manifest["files"].items())
        return manifest["key"] if whole else None
    except (OSError, ValueError, KeyError):
        return None


def _build(output: Path, cache: Path, key: str) -> None:
    from freeze import frozen
    from inputs import Inputs, versions

    inputs = Inputs(cache / "inputs")
    made = _engine(inputs, cache)
    engine = (made / "engine.wasm").read_bytes()
    with _step("Freezing the engine with its modules"):
        ours = {f"sb:{file.name}": file.read_text("utf-8") for file in sorted(GUEST.glob("*.js"))}
        zod = {f"sb:zod/{path}": text for path, text in inputs.zod().items()}
        sources = {**ours, **zod, "sb:zod/v4/locales/index.js": ONLY_ENGLISH}
        files = {
            "plain.wasm": frozen(engine, sources, SPECIFIERS, list(PLAIN)),
            "tools.wasm": frozen(engine, sources, SPECIFIERS, list(TOOLS)),
            "typescript.wasm": inputs.swc(),
            "NOTICES.txt": (
                (made / "NOTICES.txt").read_text("utf-8") + "\n" + _notices(inputs.licences())
            ).encode(),
        }
    manifest = {
        "key": key,
        "files": {
            name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in files.items()
        },
        "specifiers": SPECIFIERS,
        "versions": versions(),
    }
    with tempfile.TemporaryDirectory(dir=cache, prefix="new-") as passing:
        folder = Path(passing, "sandbox")
        folder.mkdir()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
        shutil.rmtree(output, ignore_errors=True)
        folder.rename(output)


def _engine(inputs: Inputs, cache: Path) -> Path:
    """A folder with QuickJS and our shim, compiled, and their notices; kept, since the modules change more often."""
    kept = cache / f"engine-{_engine_key()}"
    if not kept.exists():
        with tempfile.TemporaryDirectory(dir=cache) as passing:
            folder = Path(passing)
            with _step("Fetching QuickJS and the C compiler"):
                quickjs, zig = inputs.quickjs(folder / "quickjs"), inputs.zig(folder / "zig")
            made = folder / "made"
            made.mkdir()
            with _step("Compiling the engine"):
                _compile(zig, quickjs, made / "engine.wasm", folder)
            (made / "NOTICES.txt").write_text(_engine_notices(quickjs, zig.parent / "lib" / "libc"), "utf-8")
            made.rename(kept)
    return kept


def _compile(zig: Path, quickjs: Path, made: Path, folder: Path) -> None:
    from inputs import InputError
    from patches import patched

    engine = quickjs / "quickjs.c"
    engine.write_text(patched(engine.read_text("utf-8")), "utf-8")
    files = [*(GUEST / name for name in C_SOURCES), *(quickjs / name for name in QUICKJS_SOURCES)]
    command = [str(zig), *COMPILE, f"-I{quickjs}", f"-I{GUEST}", *map(str, files), *LINK, "-o", str(made)]
    caches = {"ZIG_GLOBAL_CACHE_DIR": str(folder / "global"), "ZIG_LOCAL_CACHE_DIR": str(folder / "local")}
    done = subprocess.run(
        command, env={**os.environ, **caches}, capture_output=True, text=True, check=False, cwd=folder
    )
    if done.returncode:
        raise InputError("compiling the engine failed:\n" + done.stderr.strip()[-2_000:])


def _engine_notices(quickjs: Path, libc: Path) -> str:
    """The licences of what is linked into the engine."""
    head = (quickjs / "quickjs.c").read_text("utf-8")
    words = head[head.index("/*") + 2 : head.index("*/")].replace("\n * ", "\n").replace("\n *", "\n")
    wasi = "\n\n".join((libc / "wasi" / name).read_text("utf-8") for name in ("LICENSE", "LICENSE-MIT"))
    musl = next((libc / "wasi").rglob("COPYRIGHT"), libc / "musl" / "COPYRIGHT").read_text("utf-8")
    return _notices({"quickjs-ng": words, "wasi-libc": wasi, "musl": musl})


def _notices(licences: dict[str, str]) -> str:
    line = "-" * 100
    return "\n".join(f"{line}\n{name}\n{line}\n\n{text.strip()}\n" for name, text in licences.items())


@contextmanager
def _step(what: str) -> Generator[None]:
    say(f"  {what} …")
    started = time.monotonic()
    yield
    say(f"  {what}: {time.monotonic() - started:.0f} s")


def say(line: str) -> None:
    """A line of progress, at once, also into a pipe."""
    print(line, flush=True)


def _cache() -> Path:
    from workbench.base.paths import user_cache_dir

    folder = user_cache_dir() / "sandbox-build"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _become_the_checkouts_python() -> None:
    python = ROOT / ".venv" / "bin" / "python"
    if not python.exists() or Path(sys.prefix) == ROOT / ".venv":
        sys.exit("The sandbox is built by the checkout's own Python: run packaging/run.py first.")
    os.execv(python, [str(python), __file__])


if __name__ == "__main__":
    main()
