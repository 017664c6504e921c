"""What a tool prints becomes log lines of its call, whatever it prints with and in whatever encoding."""

from __future__ import annotations

import asyncio

import pytest

from tests.hosts.conftest import Bench, RecordingLink, answer_after
from workbench.engine.event_bound import EVENT_BYTES, EVENT_LIMIT
from workbench.engine.ports import Died
from workbench.hosts.captured_output import LOG_LIMIT

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def printed(bench: Bench, body: str) -> RecordingLink:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    tool = bench.tool(
        "prints", f"def execute(state):\n{lines}\ntool = define_tool(description='', execute=execute)"
    )
    link = RecordingLink()
    await bench.returned(tool, link=link)
    return link


async def test_both_streams_of_python_children_and_c_code_are_logged_before_the_result(shared: Bench) -> None:
    link = await printed(
        shared,
        "import ctypes, os, subprocess, sys\n"
        "print('python é')\n"
        "print('no line end', end='')\n"
        "os.write(1, b'raw\\n')\n"
        "subprocess.run(['echo', 'child'])\n"
        "subprocess.run(['sh', '-c', 'echo trouble >&2'])\n"
        "print('python', file=sys.stderr, end='')\n"
        "ctypes.CDLL(None).puts(b'from C')",
    )

    assert link.printed("stderr") == "trouble\npython"
    assert sorted(link.printed().splitlines()) == sorted(["python é", "no line endraw", "child", "from C"])


async def test_bytes_that_are_no_utf8_become_escapes(shared: Bench) -> None:
    link = await printed(
        shared,
        "import os, sys\n"
        "os.write(1, 'grün\\n'.encode('latin-1'))\n"
        "os.write(2, bytes(range(256)))\n"
        "print('\\udcff half')",
    )

    assert link.printed() == "gr\\xfcn\n\\udcff half\n"
    assert "\\x80\\x81" in link.printed("stderr")


async def test_a_character_cut_in_two_is_put_together(shared: Bench) -> None:
    link = await printed(
        shared, "import os, time\nos.write(1, b'\\xe2\\x82')\ntime.sleep(0.02)\nos.write(1, b'\\xac\\n')"
    )

    assert link.printed() == "€\n"


async def test_a_partial_line_shows_while_the_tool_still_runs(shared: Bench) -> None:
    tool = shared.tool(
        "waits",
        """
        def execute(state):
            print("Working...", end="", flush=True)
            state.get_value("go")
        tool = define_tool(description="", execute=execute)
        """,
    )
    go = asyncio.Event()
    link = RecordingLink(answer_after(go))
    _, task = shared.start(tool, link=link)

    await asyncio.wait_for(link.something_came.wait(), 30)
    go.set()
    await task

    assert link.logged == [("stdout", "Working...")]


async def test_a_log_line_of_the_state_comes_after_what_was_printed_before_it(shared: Bench) -> None:
    link = await printed(shared, "print('one')\nstate.log('two')")

    assert link.logged == [("stdout", "one\n"), ("log", "two\n")]


async def test_a_flood_of_output_is_cut_and_the_last_line_says_so(shared: Bench) -> None:
    link = await printed(shared, f"for n in range({LOG_LIMIT // 50}):\n    print('x' * 99)")

    text = link.printed()
    assert LOG_LIMIT - 100 < len(text) <= LOG_LIMIT
    dropped = 100 * (LOG_LIMIT // 50) - len(text)
    assert link.logged[-1] == ("log", f"… {dropped:,} more bytes of output were not kept.\n")
    assert (await printed(shared, "print('next')")).printed() == "next\n"


@pytest.mark.rule("V6")
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
async def test_a_line_that_does_not_fit_is_dropped_whole_so_that_no_part_of_a_secret_is_left(
    shared: Bench, stream: str
) -> None:
    link = await printed(
        shared,
        "import sys\n"
        f"sys.{stream}.write('b' * 63 + '\\n')\n"
        f"sys.{stream}.write(('b' * 63 + '\\n') * {LOG_LIMIT // 64 - 2})\n"
        f"sys.{stream}.write('c' * 54 + 'sk-live-Zq8xPp42LmNv')",
    )

    text = link.printed(stream)
    assert text.endswith("b\n")
    assert len(text) == LOG_LIMIT - 64
    assert link.logged[-1] == ("log", "… 74 more bytes of output were not kept.\n")


@pytest.mark.rule("V6")
async def test_the_tail_of_what_a_dead_tool_said_begins_at_a_line(shared: Bench) -> None:
    tool = shared.tool(
        "dies",
        """
        import os, sys
        def execute(state):
            sys.stderr.write("sk-live-Zq8xPp42LmNv" + "z" * 16370 + "\\nlast words\\n")
            sys.stderr.flush()
            os._exit(3)
        tool = define_tool(description="", execute=execute)
        """,
    )

    answer = await shared.call(tool)

    assert isinstance(answer, Died)
    assert answer.stderr_tail == "last words\n"


async def test_a_flood_through_the_log_method_is_cut_like_one_of_print(shared: Bench) -> None:
    link = await printed(shared, f"for n in range({LOG_LIMIT // 1000} + 20):\n    state.log('x' * 999)")

    kept = [text for stream, text in link.logged if stream == "log"]
    assert len(kept) == LOG_LIMIT // 1000 + 1
    assert kept[-1] == "… 20,000 more bytes of output were not kept.\n"


async def test_a_flood_of_events_is_cut_and_the_last_line_says_so(shared: Bench) -> None:
    link = await printed(shared, f"for n in range({EVENT_LIMIT} + 3):\n    state.emit('n', n)")

    assert len(link.emitted) == EVENT_LIMIT
    assert link.logged == [("log", "… 3 more events were not kept.\n")]


async def test_an_event_that_is_too_big_is_dropped_and_smaller_ones_are_kept(shared: Bench) -> None:
    link = await printed(shared, f"state.emit('big', 'x' * {EVENT_BYTES})\nstate.emit('small', 1)")

    assert link.emitted == [("small", 1)]
    assert link.logged == [("log", "… 1 more event was not kept.\n")]


async def test_an_endless_flood_leaves_the_loop_free_and_can_be_stopped(shared: Bench) -> None:
    tool = shared.tool(
        "floods",
        """
        def execute(state):
            while True:
                print("x" * 1000)
                state.emit("tick", 1)
        tool = define_tool(description="", execute=execute)
        """,
    )
    link = RecordingLink()
    call_id, task = shared.start(tool, link=link)
    await asyncio.wait_for(link.something_came.wait(), 30)
    loop = asyncio.get_running_loop()

    rounds: list[float] = []
    while len(rounds) < 30:
        before = loop.time()
        await asyncio.sleep(0.01)
        rounds.append(loop.time() - before)
    await shared.host.stop(call_id)
    await task

    assert sorted(rounds)[15] < 0.5, "one alone may be late, where the machine is busy"
    assert len(link.printed()) <= LOG_LIMIT
