"""Compiling TypeScript ends at any moment, on several threads at once, and the next file compiles."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor

from workbench.base.paths import user_cache_dir
from workbench.sandbox.resources import Resources
from workbench.sandbox.stopping import Stop, Stopped
from workbench.sandbox.typescript import TypeScript


def test_files_that_compile_side_by_side_are_ended_each_by_itself() -> None:
    compiler = TypeScript(Resources.find(), user_cache_dir() / "sandbox")
    compiler.transpile("", "first.ts")  # what is compiled for this machine first would take all the time
    words = "// " + "é" * 2_000_000  # handing it over takes most of the time, and that is what is to be met

    def compiled(n: int) -> str:
        stop = Stop()
        timer = threading.Timer(random.Random(n).random() / 100, stop.set, ["enough"])
        timer.start()
        try:
            return compiler.transpile(f"{words} {n}", f"file{n}.ts", stop).code
        except Stopped:
            return ""
        finally:
            timer.cancel()
            timer.join()

    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(compiled, range(200)))

    assert "" in outcomes
    assert compiler.transpile("export const a: number = 1;", "last.ts").code.strip() == "export const a = 1;"
    compiler.close()
