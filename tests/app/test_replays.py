"""What becomes of a conversation when a tool has changed: a replay of it, and where that differs first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.agent_files import write_files
from tests.app.projects import OpenProject
from tests.app.thread_projects import COUNT, talk, write_agent
from workbench.app.threads.compared_threads import compare_threads
from workbench.app.threads.replay_outcome import replay_outcome
from workbench.app.threads.replays import ReplayTools
from workbench.domain.threads import ThreadStatus

CHANGED = COUNT.replace('return "counted "', 'return "COUNTED "')


@pytest.mark.rule("T22")
async def test_a_changed_tool_is_seen_in_a_replay_and_not_in_one_of_recorded_results(
    project: Path, opened: OpenProject
) -> None:
    counts = {"calls": [{"name": "count", "arguments": {"mark": "one"}}]}
    write_agent(project, "helper", counts, {"text": "Here you are."}, tools=["count"])

    async with opened(project) as wb:
        thread = await talk(wb, "helper", "Count, please")
        write_files(project, {"agents/tools/count.py": CHANGED})
        await wb.settled()

        ran = await wb.replays.start(thread.id)
        await wb.replays.ended(ran.id)
        stood_in = await wb.replays.start(thread.id, tools=ReplayTools.RECORDED)
        await wb.replays.ended(stood_in.id)

        assert (await wb.threads.thread(ran.id)).status is ThreadStatus.AWAITING_HUMAN
        differs, same = await replay_outcome(wb, ran.id), await replay_outcome(wb, stood_in.id)
        assert differs.words == (
            "It differs from the original first in entry 2: the call of count differs in result."
        )
        assert same.words == "The calls and answers are the same as in the original."
        assert (await compare_threads(wb, thread.id, stood_in.id)).comparison.same
        assert not (await compare_threads(wb, ran.id, stood_in.id)).comparison.same
        assert (project / "counted").read_text().splitlines() == ["one", "one"]
