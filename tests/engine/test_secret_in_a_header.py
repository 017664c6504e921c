"""A secret that goes from one variable into another and from there into a header stays hidden everywhere (V6)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.thread_rig import ThreadRig
from workbench.base.exact_json import JsonValue, dump
from workbench.domain.variables import Scope, VariableType
from workbench.engine.ports import CallLink

SECRET = "hunter2-hunter2"


@pytest.fixture
async def rig(rig: Rig) -> AsyncIterator[ThreadRig]:
    yield ThreadRig(rig)
    await rig.engine.close()


@pytest.mark.rule("V3", "V6")
async def test_it_is_hidden_in_the_store_in_every_event_and_in_what_models_are_sent(rig: ThreadRig) -> None:
    await rig.rig.variables.set("KEY", SECRET, Scope.INSTANCE, type=VariableType.SECRET)
    sent: list[str] = []

    async def prepares(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        key = await link.ask("env", {"name": "KEY"})
        await link.ask("setEnv", {"name": "HEADER", "value": f"Bearer {key}"})
        return "ready"

    async def posts(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        header = str(await link.ask("env", {"name": "HEADER"}))
        sent.append(header)
        link.log("stdout", f"Authorization: {header}\n")
        link.emit("request", dump({"headers": {"Authorization": header}}))
        raise ValueError(f"401 for {arguments['url']} with Authorization: {header}")

    rig.host.define("prepare", prepares, schema={"type": "object"})
    rig.host.define("post", posts, schema={"type": "object"})
    script: list[dict[str, Any]] = [
        {"calls": [{"name": "prepare"}, {"name": "post", "arguments": {"url": "https://a.example"}}]},
        {"text": "It was refused."},
    ]
    rig.agent("helper", tools=["prepare", "post"], script=script)

    thread = await rig.talk("helper", "Post it.")

    assert sent == [f"Bearer {SECRET}"]
    shown = "\n".join(event.model_dump_json() for event in rig.rig.events)
    kept = "\n".join(await rig.rig.store.events(thread.id))
    asked = await rig.rig.store.asked((await rig.rig.store.requests(thread.id))[-1].id)
    assert asked is not None
    for text in (shown, kept, "\n".join(await rig.said(thread)), asked.model_dump_json()):
        assert "Authorization" in text
        assert SECRET not in text
    for file in rig.rig.folder.iterdir():
        assert not file.is_file() or SECRET.encode() not in file.read_bytes()
