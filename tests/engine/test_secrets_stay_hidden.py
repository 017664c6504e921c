"""Secrets in every corner of a call: each is hidden from the first moment, and stays so."""

from __future__ import annotations

import asyncio
import base64
import traceback
from collections.abc import Mapping

import pytest
from pydantic import ValidationError

from tests.engine.rig import Rig
from workbench.base.exact_json import JsonValue, dump
from workbench.domain.calls import Call, CallState, FailureKind
from workbench.domain.pages import CallFilter
from workbench.domain.variables import Place, Scope, VariableRow, VariableType
from workbench.engine.approvals import Verdict
from workbench.engine.calls.thread_files import DIRECTORY
from workbench.engine.doubles.vault import READY, MemoryVault
from workbench.engine.ports import (
    CallLink,
    Died,
    HostAnswer,
    Raised,
    Returned,
    SecretKey,
    StateError,
    Unavailable,
    VaultState,
)

Arguments = Mapping[str, JsonValue]
SECRET = "sk-live-Zq8xPp42LmNv"
DATA = base64.b64encode(SECRET.encode()).decode()
LOCKED = VaultState("locked", "The keyring is locked.", "Unlock it.")


async def show(link: CallLink, arguments: Arguments) -> object:
    return f"it is {await link.ask('env', {'name': 'TOKEN'})}"


async def everything(rig: Rig) -> str:
    """All that was kept and told, as one text."""
    thread = await rig.engine.bench()
    rows = (await rig.store.calls(CallFilter())).rows
    calls = [await rig.store.call(row.id) for row in rows]
    kept = [await rig.store.events(thread.id), await rig.store.messages(thread.id, max_depth=9)]
    return f"{rows} {calls} {kept} {rig.events} {await rig.store.files(thread.id)}"


class GatedVault(MemoryVault):
    """Answers only once the gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()

    async def get(self, key: SecretKey) -> tuple[str, Place] | None:
        await self.gate.wait()
        return await super().get(key)


@pytest.mark.rule("V6")
@pytest.mark.parametrize("tool", ["echo", "nothing"])
async def test_the_first_call_of_a_process_hides_secrets_already(rig: Rig, tool: str) -> None:
    async def echo(link: CallLink, arguments: Arguments) -> object:
        return dict(arguments)

    rig.host.define("echo", echo, schema={"type": "object"})
    await rig.variables.set("TOKEN", SECRET, Scope.INSTANCE)
    rig = await rig.reopened()
    await rig.call(tool, dump({"text": SECRET}))
    assert SECRET not in await everything(rig)


@pytest.mark.rule("V6")
async def test_two_calls_at_once_wait_for_the_same_reading_of_secrets(rig: Rig) -> None:
    rig.host.define("show", show)
    rig.vault = vault = GatedVault()
    rig = await rig.reopened()
    await rig.variables.set("TOKEN", SECRET, Scope.INSTANCE)
    rig = await rig.reopened()
    vault.gate.clear()
    calls = asyncio.gather(rig.call("show"), rig.call("show"))
    asyncio.get_running_loop().call_later(0.05, vault.gate.set)
    await calls
    assert SECRET not in await everything(rig)


@pytest.mark.rule("V6")
async def test_a_keyring_unlocked_later_is_read_before_anything_is_shown(rig: Rig) -> None:
    rig.host.define("show", show)
    await rig.variables.set("TOKEN", SECRET, Scope.INSTANCE)
    rig = await rig.reopened()
    rig.vault.become(LOCKED)
    await rig.call("show")
    rig.vault.become(READY)
    await rig.call("show")
    assert SECRET not in await everything(rig)


@pytest.mark.rule("V6")
async def test_a_value_that_was_replaced_or_removed_stays_hidden(rig: Rig) -> None:
    async def rotate(link: CallLink, arguments: Arguments) -> object:
        await link.ask("setEnv", {"name": "S", "value": SECRET})
        await link.ask("setEnv", {"name": "S", "value": "another-value-now"})
        await rig.variables.unset("S", Scope.THREAD, (await rig.engine.bench()).id)
        return f"{SECRET} another-value-now"

    rig.host.define("rotate", rotate)
    await rig.call("rotate")
    whole = await everything(rig)
    assert SECRET not in whole
    assert "another-value-now" not in whole


@pytest.mark.rule("V6")
async def test_names_keys_paths_and_files_hide_secrets_too(rig: Rig) -> None:
    async def everywhere(link: CallLink, arguments: Arguments) -> object:
        link.emit(f"event {SECRET}", "null")
        await link.ask("setValue", {"key": f"key {SECRET}", "json": "1"})
        written = {"path": f"/{SECRET}.txt", "data": DATA, "thumbnail": DATA, "mimeType": f"text/{SECRET}"}
        await link.ask("writeFile", written)
        await link.ask("mkdirFile", {"path": f"/in {SECRET}"})
        assert await link.ask("readFile", {"path": f"/{SECRET}.txt"}) is not None
        for method in ("invokeTool", "queueTool"):
            await link.ask(method, {"name": f"tool {SECRET}", "argumentsJson": "{}"})
        with pytest.raises(StateError, match="secret"):
            await link.ask("setEnv", {"name": "OPEN", "value": SECRET, "type": "text"})
        with pytest.raises(StateError, match="name of a variable holds a secret"):
            await link.ask("setEnv", {"name": f"OF_{SECRET}", "value": "1", "type": "text"})
        return Returned("text", text=b"done", left_behind=(f"curl -H {SECRET} (pid 1)",))

    rig.host.define("everywhere", everywhere)
    await rig.variables.set("TOKEN", SECRET, Scope.INSTANCE)
    await rig.call("everywhere")
    await rig.engine.idle()
    thread = await rig.engine.bench()
    files = await rig.store.files(thread.id)
    assert SECRET not in await everything(rig)
    assert [file.path for file in files] == ["/[[secret:TOKEN]].txt", "/in [[secret:TOKEN]]"]
    assert [file.mime_type for file in files] == ["text/[[secret:TOKEN]]", DIRECTORY]
    assert await rig.store.read_file(thread.id, files[0].path) == b"[[secret:TOKEN]]"
    assert await rig.store.read_thumbnail(thread.id, files[0].path) == b"[[secret:TOKEN]]"


@pytest.mark.rule("V6")
@pytest.mark.parametrize(
    "answer",
    [
        Returned("tool_result", is_error=True, text=b"It failed.", stack=f"at {SECRET}"),
        Returned("envelope", json=dump({"content": [{"type": "text", "text": SECRET}]}).encode()),
        Returned("envelope", json=dump({"content": [], "structuredContent": {SECRET: [SECRET]}}).encode()),
        Raised("tool_error", "ValueError", "It failed.", stack=f"at {SECRET}"),
        Unavailable("It cannot run.", f"Write {SECRET}."),
        Died("exited with code 1", ended=(f"curl -H {SECRET} (pid 1)",)),
    ],
    ids=["error", "content", "structured", "raised", "unavailable", "died"],
)
async def test_every_part_of_an_answer_hides_secrets(rig: Rig, answer: HostAnswer) -> None:
    async def give(link: CallLink, arguments: Arguments) -> object:
        return answer

    rig.host.define("give", give)
    await rig.variables.set("TOKEN", SECRET, Scope.INSTANCE)
    await rig.call("give")

    whole = await everything(rig)
    assert "[[secret:TOKEN]]" in whole
    assert SECRET not in whole


@pytest.mark.rule("V3")
async def test_a_secret_stays_one_when_it_is_set_again_without_a_type(rig: Rig) -> None:
    async def twice(link: CallLink, arguments: Arguments) -> object:
        await link.ask("setEnv", {"name": "S", "value": "first-value", "type": "secret"})
        await link.ask("setEnv", {"name": "S", "value": "second-value"})
        return await link.ask("envType", {"name": "S"})

    rig.host.define("twice", twice, variables=[{"name": "S", "type": "text", "required": False}])
    call = await rig.call("twice")
    assert call.result is not None
    assert call.result.text == "secret"


@pytest.mark.rule("V1")
async def test_a_secret_that_cannot_be_read_never_gives_way_to_a_lower_scope(rig: Rig) -> None:
    rig.host.define("show", show, variables=[{"name": "TOKEN", "type": "secret"}])
    await rig.variables.set("TOKEN", "of the account", Scope.ACCOUNT)
    await rig.variables.set("TOKEN", "instance", Scope.INSTANCE, type=VariableType.TEXT)
    rig.vault.become(LOCKED)
    call = await rig.call("show")
    assert call.result is not None
    assert call.result.failure is not None
    assert call.result.failure.kind is FailureKind.MISSING_VARIABLE
    assert "locked" in call.result.text


@pytest.mark.rule("C12", "V6")
async def test_an_edited_approval_keeps_the_secrets_that_were_not_edited(rig: Rig) -> None:
    async def echo(link: CallLink, arguments: Arguments) -> object:
        return dict(arguments)

    rig.host.define("echo", echo, schema={"type": "object"}, needsApproval=True)
    await rig.variables.set("TOKEN", SECRET, Scope.INSTANCE)
    waiting = asyncio.ensure_future(
        rig.call("echo", dump({"a": SECRET, "b": "[[secret:OTHER]]", "n": 1}), person_attached=True)
    )
    call_id = await rig.until_state(CallState.WAITING_FOR_APPROVAL)
    shown = next(call.arguments for call in rig.engine.live_calls())
    edited = shown.replace('"n":1', '"n":2').encode()
    await rig.engine.decide(call_id, Verdict(approved=True, by="you", arguments=edited))
    call: Call = await waiting
    assert rig.host.calls[0].arguments == dump({"a": SECRET, "b": "[[secret:OTHER]]", "n": 2}).encode()
    assert call.result_message_id is not None
    told = await rig.store.message(call.result_message_id)
    assert told is not None
    assert "edited before the call ran" in (told.content or "")


@pytest.mark.rule("V6")
def test_a_mistake_of_ours_quotes_no_value() -> None:
    given = {"scope": "instance", "name": "TOKEN", "type": "text", "value": [SECRET]}
    with pytest.raises(ValidationError) as refused:
        VariableRow.model_validate(given)
    assert "value" in str(refused.value)
    assert SECRET not in "".join(traceback.format_exception(refused.value))
