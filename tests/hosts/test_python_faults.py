"""Everything that can go wrong with a tool's process ends as one clear answer, and the next call works (C13)."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.hosts.conftest import Bench, RecordingLink, processes_of
from workbench.domain.definitions import DefinitionFile
from workbench.engine.ports import Died, Returned, Stopped, Unavailable

ESCAPES = """
import os, subprocess, sys, time
def escape():
    # Forked twice, in a session of its own, without the environment it came from; returns when that has happened.
    happened, end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve(sys.executable, [sys.executable, "-c", PROGRAM], {})
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(end)
    os.read(happened, 1)
    os.close(happened)
PROGRAM = "'escaped'; import time; time.sleep(600)"
"""


SCRIBBLES = (
    "[os.write(fd, b'words') for fd in map(int, os.listdir('/proc/self/fd'))"
    " if os.path.exists(f'/proc/self/fd/{fd}') and stat.S_ISSOCK(os.fstat(fd).st_mode)]"
)


def hello(bench: Bench) -> DefinitionFile:
    return bench.tool("hello", "tool = define_tool(description='', execute=lambda: 'hello')")


def escaped() -> list[psutil.Process]:
    return [
        process
        for process in psutil.process_iter(["cmdline", "status"])
        if "'escaped'" in " ".join(process.info["cmdline"] or ())
        and process.info["status"] != psutil.STATUS_ZOMBIE
    ]


@pytest.mark.parametrize(
    ("statement", "reason", "tail"),
    [
        ("import os; os._exit(3)", "exited with code 3", ""),
        ("import ctypes; ctypes.string_at(0)", "killed by SIGSEGV", "Segmentation fault"),
        ("import os; os.abort()", "killed by SIGABRT", "Aborted"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "killed by SIGKILL", ""),
        ("import os, sys; print('dear me', file=sys.stderr); os._exit(1)", "exited with code 1", "dear me"),
        ("import os; os.execlp('sleep', 'sleep', '605')", "closed its connection to Workbench", ""),
        ("import os; os.closerange(3, 256)", "exited with code 1", "closed the connection to Workbench"),
        (f"import os, stat, time; {SCRIBBLES}; time.sleep(600)", "wrote into its connection", ""),
    ],
)
async def test_a_process_that_dies_costs_one_call(
    bench: Bench, statement: str, reason: str, tail: str
) -> None:
    tool = bench.tool(
        "dies", f"def execute():\n    {statement}\ntool = define_tool(description='', execute=execute)\n"
    )

    answer = await bench.call(tool)

    assert isinstance(answer, Died)
    assert reason in answer.reason
    assert tail in answer.stderr_tail
    assert await bench.value(hello(bench)) == "hello"


@pytest.mark.rule("V6")
async def test_a_crash_leaves_no_image_of_memory_on_the_disk(bench: Bench) -> None:
    tool = bench.tool(
        "crashes",
        """
        import resource
        tool = define_tool(description="", execute=lambda: resource.getrlimit(resource.RLIMIT_CORE)[0])
        """,
    )
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    try:
        assert await bench.value(tool) == 0
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)


async def test_what_was_said_before_the_end_is_not_lost(bench: Bench) -> None:
    tool = bench.tool(
        "says",
        """
        import os
        def execute(state):
            for n in range(200):
                state.emit("step", n)
                os.write(1, b"%d\\n" % n)
            os._exit(1)
        tool = define_tool(description="", execute=execute)
        """,
    )
    link = RecordingLink()

    answer = await bench.call(tool, link=link)

    assert isinstance(answer, Died)
    assert [data for _, data in link.emitted] == list(range(200))
    assert link.printed().split() == [str(n) for n in range(200)]


@pytest.mark.rule("C13")
async def test_an_endless_loop_is_stopped_with_everything_it_started(bench: Bench) -> None:
    tool = bench.tool(
        "loops",
        ESCAPES
        + """
def execute(state):
    subprocess.Popen(["sleep", "600"])
    escape()
    state.emit("started")
    while True:
        pass
tool = define_tool(description="", execute=execute)
""",
    )
    link = RecordingLink()
    call_id, task = bench.start(tool, link=link)
    await asyncio.wait_for(link.something_came.wait(), 30)

    await bench.host.stop(call_id)

    answer = await task
    assert isinstance(answer, Stopped)
    own, *others = answer.ended
    assert own.startswith("loops (pid ")
    assert any(line.startswith("sleep 600 (pid ") for line in others)
    assert any("'escaped'" in line for line in others)
    assert not escaped()
    assert await bench.value(hello(bench)) == "hello"


@pytest.mark.rule("C13")
async def test_cancelling_the_task_of_a_call_ends_its_tree_too(bench: Bench) -> None:
    tool = bench.tool(
        "waits",
        ESCAPES
        + """
async def execute(state):
    escape()
    state.emit("started")
    await __import__("asyncio").sleep(600)
tool = define_tool(description="", execute=execute)
""",
    )
    link = RecordingLink()
    _, task = bench.start(tool, link=link)
    await asyncio.wait_for(link.something_came.wait(), 30)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert not escaped()
    assert await bench.value(hello(bench)) == "hello"


async def test_a_call_that_waits_for_a_worker_can_be_stopped(root: Path) -> None:
    bench = Bench(root)
    tool = bench.tool(
        "waits", "import time\ntool = define_tool(description='', execute=lambda: time.sleep(600))"
    )
    started = [bench.start(tool) for _ in range(12)]
    await asyncio.sleep(0)

    for call_id, _ in started[::-1]:
        await bench.host.stop(call_id)

    answers = await asyncio.gather(*(task for _, task in started))
    assert all(isinstance(answer, Stopped) for answer in answers)
    await bench.host.close()


async def test_no_process_outlives_the_call_that_started_it(bench: Bench) -> None:
    tool = bench.tool(
        "leaves",
        ESCAPES
        + """
def execute():
    subprocess.Popen(["sleep", "601"], start_new_session=True)
    escape()
    return "done"
tool = define_tool(description="", execute=execute)
""",
    )

    answer = await bench.returned(tool)

    assert answer.text == b"done"
    assert any(line.startswith("sleep 601 (pid ") for line in answer.left_behind)
    assert len(answer.left_behind) == 2
    assert not escaped()


@pytest.mark.rule("V6")
async def test_no_argument_of_an_ended_process_is_told_in_part(bench: Bench) -> None:
    tool = bench.tool(
        "leaves",
        """
        import subprocess
        def execute():
            process = subprocess.Popen(["sleep", "603", "0" * 80 + ".1234567890123456789"])
            while b"603" not in open(f"/proc/{process.pid}/cmdline", "rb").read():
                pass
            return "done"
        tool = define_tool(description="", execute=execute)
        """,
    )

    answer = await bench.returned(tool)

    assert [line.partition(" (pid")[0] for line in answer.left_behind] == ["sleep 603 …"]


async def test_what_a_dying_process_leaves_is_ended_too(bench: Bench) -> None:
    tool = bench.tool(
        "leaves",
        """
        import os, subprocess
        def execute():
            subprocess.Popen(["sleep", "602"], start_new_session=True)
            os._exit(9)
        tool = define_tool(description="", execute=execute)
        """,
    )

    answer = await bench.call(tool)

    assert isinstance(answer, Died)
    assert [line.partition(" (pid")[0] for line in answer.ended] == ["sleep 602"]


async def test_a_child_that_was_waited_for_is_not_left_behind(bench: Bench) -> None:
    tool = bench.tool(
        "runs",
        """
        import subprocess, os
        tool = define_tool(description="", execute=lambda: [
            subprocess.run(["echo", "x"], capture_output=True, text=True).stdout, os.getpid()])
        """,
    )

    first, second = await bench.value(tool), await bench.value(tool)

    assert first == second
    assert isinstance(first, list)
    assert first[0] == "x\n"


async def test_a_forked_copy_of_the_worker_does_not_answer_for_it(bench: Bench) -> None:
    tool = bench.tool(
        "forks",
        """
        import os
        def execute(state):
            pid = os.fork()
            if pid:
                return os.waitpid(pid, 0)[1]
            try:
                state.emit("from the copy")
            except RuntimeError:
                return "the copy"
        tool = define_tool(description="", execute=execute)
        """,
    )
    link = RecordingLink()

    assert await bench.value(tool, link=link) == 0
    assert not link.emitted
    assert await bench.value(tool, link=link) == 0


async def test_a_tool_that_uses_multiprocessing_leaves_nothing_to_report(bench: Bench) -> None:
    bench.write("bot/lib/sums.py", "def double(x):\n    return 2 * x\n")
    tool = bench.tool(
        "pool",
        """
        import multiprocessing
        from bot.lib.sums import double
        def execute():
            with multiprocessing.get_context("spawn").Pool(2) as pool:
                return pool.map(double, [1, 2, 3])
        tool = define_tool(description="", execute=execute)
        """,
    )

    answer = await bench.returned(tool)

    assert answer.json == b"[2,4,6]"
    assert answer.left_behind == ()


async def test_a_tool_that_exchanges_or_closes_the_streams_costs_its_worker_only(bench: Bench) -> None:
    tool = bench.tool(
        "closes",
        """
        import sys
        def execute():
            sys.stdout.close()
            sys.stderr = None
            return "done"
        tool = define_tool(description="", execute=execute)
        """,
    )
    prints = bench.tool("prints", "tool = define_tool(description='', execute=lambda: print('here'))")
    link = RecordingLink()

    assert await bench.value(tool) == "done"
    await bench.returned(prints, link=link)

    assert link.printed() == "here\n"


async def test_a_value_of_a_hundred_megabytes_comes_whole_and_leaves_no_file(
    bench: Bench, temporary: Path
) -> None:
    tool = bench.tool("big", "tool = define_tool(description='', execute=lambda: 'x' * 100_000_000)")

    answer = await bench.returned(tool)

    assert len(answer.text) == 100_000_000
    assert not list(temporary.glob("workbench-*/big/*"))


async def test_big_arguments_and_big_answers_arrive_whole(bench: Bench, temporary: Path) -> None:
    tool = bench.tool(
        "length",
        "tool = define_tool(description='', execute=lambda state, args: [len(args['text']), len(state.env('X'))])",
    )
    link = RecordingLink(lambda method, params: "é" * 1_000_000)

    assert await bench.value(tool, {"text": "y" * 3_000_000}, link) == [3_000_000, 1_000_000]
    assert not list(temporary.glob("workbench-*/big/*"))


async def test_a_disk_without_room_for_a_big_value_is_an_error_result(bench: Bench) -> None:
    tool = bench.tool(
        "big",
        """
        import resource
        def execute():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
            return "x" * 1_000_000
        tool = define_tool(description="", execute=execute)
        """,
    )

    raised = await bench.raised(tool)

    assert "File too large" in raised.message


@pytest.mark.rule("C6")
async def test_nested_calls_get_workers_beyond_the_cap(bench: Bench) -> None:
    tool = bench.tool(
        "dive",
        """
        def execute(state, args):
            return state.invoke_tool("dive", {"depth": args["depth"] - 1}).result if args["depth"] else "ground"
        tool = define_tool(description="", execute=execute)
        """,
    )

    def answerer(method: str, params: object) -> object:
        assert method == "invokeTool"
        return invoke(params["argumentsJson"])  # type: ignore[index]

    async def invoke(arguments: str) -> object:
        answer = await bench.call(tool, arguments.encode(), RecordingLink(answerer), nested=True)
        assert isinstance(answer, Returned)
        return {"status": "success", "result": answer.text.decode()}

    assert await bench.value(tool, {"depth": 12}, RecordingLink(answerer)) == "ground"


async def test_more_callers_than_workers_all_get_their_turn(bench: Bench) -> None:
    tool = bench.tool("number", "tool = define_tool(description='', execute=lambda state, args: args['n'])")

    assert await asyncio.gather(*(bench.value(tool, {"n": n}) for n in range(50))) == list(range(50))


@pytest.mark.parametrize("python", ["nowhere/python3", "."])
async def test_an_interpreter_that_cannot_be_started_is_named(root: Path, python: str) -> None:
    bench = Bench(root, Path(root, python))
    tool = hello(bench)

    answer = await bench.call(tool)
    loaded = await bench.load(tool)

    assert isinstance(answer, Unavailable)
    assert python in answer.message or str(root) in answer.message
    assert "workbench.toml" in answer.hint
    assert [problem.code for problem in loaded["hello"].problems] == ["no-interpreter"]
    await bench.host.close()


async def test_an_interpreter_that_fails_at_its_start_says_why(root: Path) -> None:
    python = root / "python"
    python.write_text(
        "#!/bin/sh\necho 'This is Python 3.6.1; tools need Python 3.9 or later.' >&2\nexit 78\n"
    )
    python.chmod(0o755)
    bench = Bench(root, python)

    answer = await bench.call(hello(bench))

    assert isinstance(answer, Unavailable)
    assert answer.message.endswith("This is Python 3.6.1; tools need Python 3.9 or later.")
    await bench.host.close()


async def test_an_interpreter_that_was_mended_is_used_at_the_next_call(root: Path) -> None:
    python, runs = root / "python", root / "runs"
    python.write_text(f"#!/bin/sh\necho run >> {runs}\nexit 1\n")
    python.chmod(0o755)
    bench = Bench(root, python)
    tool = hello(bench)
    assert isinstance(await bench.call(tool), Unavailable)
    async with asyncio.timeout(30):
        while len(runs.read_text().splitlines()) < 2:  # noqa: ASYNC110  (the spare fails as well)
            await asyncio.sleep(0.01)

    python.unlink()
    python.symlink_to(sys.executable)

    assert isinstance(await bench.call(tool), Returned)
    await bench.host.close()


async def test_workers_and_what_they_started_die_with_an_engine_that_is_killed(
    root: Path, tmp_path: Path, temporary: Path
) -> None:
    living = Bench(root)
    busy = living.tool(
        "busy",
        """
        import subprocess
        def execute(state):
            subprocess.Popen(["sleep", "603"], start_new_session=True)
            print("started", flush=True)
            while True:
                pass
        tool = define_tool(description="", execute=execute)
        """,
    )
    engine = tmp_path / "engine.py"
    engine.write_text(
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from tests.hosts.conftest import Bench, RecordingLink\n"
        "async def main():\n"
        "    bench = Bench(Path(sys.argv[1]))\n"
        "    link = RecordingLink()\n"
        "    file = bench.found('agents/tools/busy.py', b'')\n"
        "    _, task = bench.start(file, link=link)\n"
        "    await link.something_came.wait()\n"
        "    print('running', flush=True)\n"
        "    await task\n"
        "asyncio.run(main())\n"
    )
    assert busy.path == "agents/tools/busy.py"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(engine),
        str(root),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "TMPDIR": str(temporary)},
    )
    assert process.stdout is not None
    assert await asyncio.wait_for(process.stdout.readline(), 40) == b"running\n"
    assert processes_of(root)

    process.send_signal(signal.SIGKILL)
    await process.wait()

    async with asyncio.timeout(30):
        while processes_of(root) or sleeping("603"):  # noqa: ASYNC110  (another program's processes)
            await asyncio.sleep(0.02)

    # The next one puts away what the killed one could not, and leaves alone what belongs to a living one.
    assert len(list(temporary.glob("workbench-*/lock"))) == 2
    other = Bench(root)
    assert await other.value(hello(other)) == "hello"
    assert await living.value(hello(living)) == "hello"
    await living.host.close()
    await other.host.close()
    assert not list(temporary.iterdir())


def sleeping(seconds: str) -> bool:
    return any(process.info["cmdline"] == ["sleep", seconds] for process in psutil.process_iter(["cmdline"]))
