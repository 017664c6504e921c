"""Compiling TypeScript ends at any moment, on several threads at once, and the next file compiles."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

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


class StopWhenDone(Stop):
    """Set in the moment between a file's end and its compiler's return."""

    times = 0

    @contextmanager
    def interrupting(self, interrupt: Callable[[], object]) -> Generator[None]:
        with super().interrupting(interrupt):
            yield
            self.times += 1
            if self.times == 2:  # the first one is that of waiting for a place
                self.set("late")


def test_a_stop_that_comes_when_a_file_is_done_does_not_end_the_next() -> None:
    compiler = TypeScript(Resources.find(), user_cache_dir() / "sandbox")
    late = StopWhenDone()

    compiler.transpile("export const a: number = 1;", "first.ts", late)

    assert late.is_set
    assert compiler.transpile("export const b: number = 2;", "next.ts").code.strip() == "export const b = 2;"
    compiler.close()
