"""Variables and secrets as calls meet them: which value holds, what is set anew, and what is never told."""

from __future__ import annotations

import pytest

from tests.engine.calling import TEXT, Arguments, echo, failure, message
from tests.engine.rig import Rig
from workbench.base.exact_json import dump
from workbench.base.ids import ThreadId, uuid7
from workbench.domain.calls import CallState, FailureKind, Origin
from workbench.domain.definitions import VariableSpec
from workbench.domain.threads import Thread, ThreadKind
from workbench.domain.variables import Scope, VariableType
from workbench.domain.writes import PutThread
from workbench.engine.ports import CallLink, StateError
from workbench.engine.variables import Layers


@pytest.mark.rule("V6")
async def test_a_secret_is_found_nowhere_in_what_is_kept_or_told(rig: Rig) -> None:
    secret = "s3cr3t-käse/+value"

    async def leak(link: CallLink, arguments: Arguments) -> object:
        value = str(await link.ask("env", {"name": "TOKEN"}))
        for piece in (value[:7], value[7:] + "\n"):
            link.log("stdout", piece)
        link.emit("found", dump({"token": value}))
        await link.ask("setValue", {"key": "k", "json": f'"{value}"'})
        return {"token": value, "sent": arguments["text"]}

    rig.host.define("leak", leak, schema=TEXT, variables=[{"name": "TOKEN", "type": "secret"}])
    await rig.variables.set("TOKEN", secret, Scope.INSTANCE)
    call = await rig.call("leak", dump({"text": secret}))
    stored = await rig.store.call(call.id)
    everything = f"{stored} {rig.events} {await rig.store.events(call.thread_id)}"
    everything += f"{await rig.store.messages(call.thread_id)} {await rig.store.value(call.thread_id, 'k')}"
    assert secret not in everything
    assert "[[secret:TOKEN]]" in message(call)


@pytest.mark.rule("V6")
async def test_running_a_masked_call_again_puts_the_secret_back(rig: Rig) -> None:
    rig.host.define("echo", echo, schema=TEXT)
    await rig.variables.set("TOKEN", "s3cr3t-value", Scope.INSTANCE)
    first = await rig.call("echo", '{"text": "s3cr3t-value"}')
    await rig.call("echo", first.arguments)
    assert rig.host.calls[1].arguments == b'{"text":"s3cr3t-value"}'


@pytest.mark.rule("V6")
@pytest.mark.parametrize("origin", [Origin.HTTP, Origin.MCP, Origin.INVOKE, Origin.QUEUE])
async def test_from_nobody_but_a_person_a_mark_is_more_than_text(rig: Rig, origin: Origin) -> None:
    rig.host.define("echo", echo, schema=TEXT)
    await rig.variables.set("TOKEN", "s3cr3t-value", Scope.INSTANCE)
    await rig.call("echo", '{"text": "[[secret:TOKEN]]"}', origin=origin)
    assert rig.host.calls[0].arguments == b'{"text": "[[secret:TOKEN]]"}'


@pytest.mark.rule("V3")
async def test_env_of_an_undeclared_name_works_and_a_missing_one_raises(rig: Rig) -> None:
    async def questions(link: CallLink, arguments: Arguments) -> object:
        with pytest.raises(StateError) as refusal:
            await link.ask("env", {"name": "MISSING"})
        optional = await link.ask("env", {"name": "OPTIONAL"})
        return [refusal.value.type, optional, await link.ask("env", {"name": "EMPTY"})]

    rig.host.define("ask", questions, variables=[{"name": "OPTIONAL", "type": "text", "required": False}])
    await rig.variables.set("EMPTY", "", Scope.ACCOUNT, type=VariableType.TEXT)
    assert message(await rig.call("ask")) == '["MissingVariable",null,""]'


@pytest.mark.rule("V3")
async def test_set_env_keeps_a_known_type_and_makes_new_names_secret(rig: Rig) -> None:
    async def put(link: CallLink, arguments: Arguments) -> object:
        await link.ask("setEnv", {"name": "NEW", "value": "abcdefgh"})
        await link.ask("setEnv", {"name": "PLAIN", "value": "a", "type": "text"})
        await link.ask("setEnv", {"name": "PLAIN", "value": "b"})
        return [await link.ask("envType", {"name": name}) for name in ("NEW", "PLAIN", "UNKNOWN")]

    rig.host.define("put", put)
    assert message(await rig.call("put")) == '["secret","text","secret"]'


@pytest.mark.rule("V3")
async def test_a_name_that_is_a_secret_anywhere_is_one_where_it_is_set_anew(rig: Rig) -> None:
    await rig.variables.set("KEY", "plain words", Scope.ACCOUNT, type=VariableType.TEXT)
    await rig.variables.set("KEY", "s3cr3t-value", Scope.INSTANCE, type=VariableType.SECRET)
    thread = await rig.engine.bench()
    row = await rig.variables.set("KEY", "another-value", Scope.THREAD, thread_id=thread.id)
    assert (row.type, row.value) == (VariableType.SECRET, None)


@pytest.mark.rule("V4")
async def test_a_secret_for_this_session_only_is_not_promised_to_the_next(rig: Rig) -> None:
    await rig.variables.set("KEY", "s3cr3t-value", Scope.INSTANCE, session_only=True)
    assert (await rig.variables.resolve("KEY", Layers())).value == "s3cr3t-value"
    assert await rig.store.variables() == []


@pytest.mark.rule("V1")
async def test_the_thread_wins_over_the_account_and_the_account_over_the_instance(rig: Rig) -> None:
    thread = await rig.engine.bench()
    layers = Layers(threads=(thread.id,))
    scopes = (Scope.INSTANCE, Scope.ACCOUNT, Scope.THREAD)
    for scope in scopes:
        thread_id = thread.id if scope is Scope.THREAD else None
        await rig.variables.set("X", scope.value, scope, type=VariableType.TEXT, thread_id=thread_id)
    found = await rig.variables.resolve("X", layers)
    assert (found.value, found.scope) == ("thread", Scope.THREAD)
    assert found.overrides == (Scope.ACCOUNT, Scope.INSTANCE)
    await rig.variables.unset("X", Scope.THREAD, thread.id)
    assert (await rig.variables.resolve("X", layers)).scope is Scope.ACCOUNT


@pytest.mark.rule("V5")
async def test_a_legacy_default_is_used_when_nothing_resolves(rig: Rig) -> None:
    spec = VariableSpec(name="OLD", required=False, default="fallback", check={"type": "string"})
    found = await rig.variables.resolve("OLD", Layers(), spec)
    assert (found.value, found.is_default) == ("fallback", True)


@pytest.mark.rule("V5")
async def test_a_legacy_variable_that_its_own_schema_refuses_fails_the_call_without_quoting_it(
    rig: Rig,
) -> None:
    level = {"type": "integer", "minimum": 1}
    tenvs = {"type": "object", "properties": {"LEVEL": level}, "required": ["LEVEL"]}
    rig.host.define("older", echo)
    rig.host.schemas("older", {"tenvs": {"source": "schema", "schema": tenvs}})
    await rig.variables.set("LEVEL", "very high", Scope.INSTANCE)
    refused = await rig.call("older")
    await rig.variables.set("LEVEL", "3", Scope.INSTANCE)

    assert failure(refused) is FailureKind.MISSING_VARIABLE
    assert "LEVEL has a value that its definition refuses" in message(refused)
    assert "very high" not in message(refused)
    assert (await rig.call("older")).state is CallState.SUCCEEDED


@pytest.mark.rule("V2")
async def test_a_scoped_name_is_never_read_from_an_ancestor(rig: Rig) -> None:
    ids = [ThreadId(uuid7()) for _ in range(3)]
    for thread_id in ids:
        thread = Thread(id=thread_id, kind=ThreadKind.AGENT, created_at=1, updated_at=1)
        await rig.store.commit(PutThread(thread))
    own, parent, grandparent = ids
    for thread_id, value in ((parent, "parent"), (grandparent, "grandparent")):
        await rig.variables.set("X", value, Scope.THREAD, type=VariableType.TEXT, thread_id=thread_id)
    await rig.variables.set("X", "account", Scope.ACCOUNT, type=VariableType.TEXT)
    free = Layers(threads=(own, parent, grandparent))
    scoped = Layers(threads=(own, parent, grandparent), scoped=frozenset({"X"}))
    assert (await rig.variables.resolve("X", free)).value == "parent"
    assert (await rig.variables.resolve("X", scoped)).value == "account"
    await rig.variables.set("X", "own", Scope.THREAD, type=VariableType.TEXT, thread_id=own)
    assert (await rig.variables.resolve("X", scoped)).value == "own"
