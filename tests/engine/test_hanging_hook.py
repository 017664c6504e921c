"""A hook that hangs in the project's interpreter: its process is ended in its time, and the run goes on (T8)."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest

from tests.engine.rig import GatedModels, Rig, make_engine
from workbench.domain.events import CodeEmitted, HookFailed
from workbench.domain.threads import ThreadStatus
from workbench.engine.threads.family import NewThread
from workbench.hosts.python_host import PythonHost
from workbench.models import Script
from workbench.project.discovery import Discovery

HANGS = """
import os
from workbench import define_hook

@define_hook(hook="after_system_message", id="hangs")
def hangs(state, text):
    state.emit("began", os.getpid())
    while True:
        pass
"""

FILES = {
    "hooks/hangs.py": HANGS,
    "models/m.py": 'from workbench import *\nm = define_model(name="m", provider="scripted", model="m")\n',
    "prompts/p.py": "from workbench import *\n"
    'p = define_prompt(name="p", tool_description="Helps.", prompt="Help.", model="m", hooks=["hangs"])\n',
    "agents/a.py": 'from workbench import *\na = define_agent(name="a", side_a=PromptSide("p"), side_b=HumanSide())\n',
}


@pytest.mark.rule("T8")
async def test_a_hook_that_hangs_ends_with_its_process_and_the_model_is_asked(
    rig: Rig, tmp_path: Path
) -> None:
    root = tmp_path / "desk"
    for path, source in FILES.items():
        file = root / "agents" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    host, models = PythonHost(root, Path(sys.executable)), GatedModels(tmp_path)
    models.add("m", Script.model_validate({"steps": [{"text": "Yes."}]}))
    # Long enough for a worker to start on a busy machine: what it began is what is to be ended.
    engine = make_engine(
        rig.store, rig.accounts, tmp_path, host=host, vault=rig.vault, models=models, hook_seconds=2.0
    )
    engine.services.bus.subscribe(rig.events.append)
    catalog = engine.services.catalog
    async for loaded in host.load(catalog.discovered(Discovery(root).look().files, ())):
        catalog.loaded(loaded, "")

    thread = await engine.threads.start(NewThread("a", {}))
    await engine.threads.send(thread.id, "Hello.")
    thread = await engine.threads.parked(thread.id)

    (began,) = [event for event in rig.events if isinstance(event, CodeEmitted)]
    assert not psutil.pid_exists(int(began.data))
    assert [event.message for event in rig.events if isinstance(event, HookFailed)] == [
        "It took longer than 2 s and was stopped."
    ]
    assert thread.status is ThreadStatus.AWAITING_HUMAN
    history = await rig.store.history(thread.id)
    assert [message.content for message in history] == ["Hello.", "Yes."]
    await engine.close()
    await host.close()
