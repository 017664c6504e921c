"""`define_prompt`, `define_agent` and their kin keep what was written, and name fields that do not exist."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from workbench import authoring
from workbench.authoring import (
    DefinitionError,
    HumanSide,
    PromptSide,
    define_agent,
    define_effect,
    define_handler,
    define_hook,
    define_model,
    define_prompt,
)
from workbench.authoring.hooks import HookName as WrittenHookName
from workbench.domain.hooks import HOOKS, HookName


def run(source: str) -> dict[str, Any]:
    """The values of a definition file with this source."""
    namespace: dict[str, Any] = vars(authoring).copy()
    exec(compile(source, "agents/hooks/some.py", "exec"), namespace)
    return namespace


def test_only_the_given_fields_are_kept_as_they_were_given() -> None:
    side = PromptSide("desk", max_steps=3)

    agent = define_agent(name="front", side_a=side, side_b=HumanSide(), title=None)  # type: ignore[arg-type]
    prompt = define_prompt(prompt=["x"], tools=())
    model = define_model(capabilities={"any": 1})

    assert agent.fields == {"name": "front", "side_a": side, "side_b": HumanSide(), "title": None}
    assert (agent.kind, prompt.kind, model.kind) == ("agent", "prompt", "model")
    assert prompt.fields == {"prompt": ["x"], "tools": ()}
    assert model.fields == {"capabilities": {"any": 1}}


@pytest.mark.parametrize(
    "define", ["define_hook(hook='h', id='i')", "define_handler()", "define_effect('d')"]
)
def test_code_is_defined_by_a_decorator_as_well(define: str) -> None:
    made = run(f"@{define}\ndef it(state):\n    return state\n")["it"]

    assert (made.path, made.line) == ("agents/hooks/some.py", 1)
    assert made.fields["execute"].__name__ == "it"
    assert made("a state") == "a state"


def test_an_effect_is_written_with_names_or_without() -> None:
    def send(state: Any) -> None: ...

    expected = {"description": "d", "args": dict, "execute": send}

    assert define_effect("d", dict, send).fields == expected
    assert define_effect("d", handler=send, args=dict).fields == expected
    assert define_effect(description="d", args=dict, handler=send).fields == expected
    assert define_effect("d", send).fields == {"description": "d", "execute": send}
    with pytest.raises(DefinitionError, match="was given description twice"):
        define_effect("d", dict, send, description="e")
    with pytest.raises(DefinitionError, match="named fields only"):
        define_effect("d", dict, send, print)


@pytest.mark.parametrize(
    ("define", "fields", "words"),
    [
        (define_prompt, {"toolDescription": "x"}, "Did you mean 'tool_description'?"),
        (
            define_prompt,
            {"description": "x"},
            "define_prompt has no field 'description': write tool_description=",
        ),
        (define_agent, {"sideA": 1}, "Did you mean 'side_a'?"),
        (define_agent, {"subagents": []}, "they belong to a side"),
        (define_model, {"api_key": "x"}, "write key_variable="),
        (define_hook, {"name": "x"}, "define_hook has no field 'name': write id=."),
        (define_handler, {"name": "x"}, "the name of its file"),
        (define_effect, {"execute": print}, "write handler=."),
    ],
)
def test_a_field_that_does_not_exist_is_named_with_what_to_write(
    define: Callable[..., Any], fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(DefinitionError) as refused:
        define(**fields)

    assert words in str(refused.value)
    assert refused.value.code == "bad-field"


@pytest.mark.parametrize("define", [define_prompt, define_agent, define_model, define_handler])
def test_fields_have_names(define: Callable[..., Any]) -> None:
    with pytest.raises(DefinitionError, match="named fields only"):
        define("x")


@pytest.mark.rule("D11")
def test_the_older_form_of_a_hook_is_told_from_a_wrong_field() -> None:
    with pytest.raises(DefinitionError, match="Write define_hook") as refused:
        define_hook("filter_messages", print)

    assert refused.value.code == "old-form"


@pytest.mark.rule("T8")
def test_an_author_is_offered_the_hooks_that_there_are() -> None:
    assert set(get_args(WrittenHookName)) == {hook.value for hook in HookName} == {*HOOKS}
