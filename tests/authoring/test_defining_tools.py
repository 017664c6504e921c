"""`define_tool` keeps what was written, with the line of the definition, and names fields that do not exist."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import workbench
from workbench import authoring
from workbench.authoring import DefinitionError, ToolResult, define_tool, prompt


def run(source: str) -> dict[str, Any]:
    """The values of a definition file with this source."""
    namespace: dict[str, Any] = {"define_tool": define_tool}
    exec(compile(source, "agents/tools/some.py", "exec"), namespace)
    return namespace


@pytest.mark.rule("D3")
def test_only_the_given_fields_are_kept_as_they_were_given() -> None:
    annotations = {"any": object()}

    tool = define_tool(description="x", uses=None, annotations=annotations)

    assert tool.fields == {"description": "x", "uses": None, "annotations": annotations}
    assert tool.fields["annotations"] is annotations


@pytest.mark.rule("D4")
def test_the_decorator_form_is_the_call_form() -> None:
    made = run("x = 1\n\n@define_tool(description='d')\ndef run(state):\n    return state\n")["run"]

    assert (made.path, made.line) == ("agents/tools/some.py", 3)
    assert made.execute.__name__ == "run"
    assert made("a state") == "a state"


def test_a_helper_that_defines_does_not_hide_the_line() -> None:
    made = run("def helper():\n    return define_tool(description='d')\n\n\ntool = helper()\n")["tool"]

    assert made.line == 5


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"progressArgument": "x"},
            "define_tool has no field 'progressArgument'. Did you mean 'progress_argument'?",
        ),
        ({"inputSchema": {}}, "Did you mean 'input_schema'?"),
        ({"varables": []}, "Did you mean 'variables'?"),
        ({"handler": print}, "define_tool has no field 'handler': write execute=."),
        ({"return_schema": {}}, "write output_schema="),
        ({"quite_different": 1}, "define_tool has no field 'quite_different'."),
    ],
)
def test_a_field_that_does_not_exist_is_named_with_what_to_write(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(DefinitionError) as refused:
        define_tool(description="", **fields)

    assert words in str(refused.value)


def test_fields_have_names() -> None:
    with pytest.raises(DefinitionError, match="named fields only"):
        define_tool("description", None, print)


def test_decorating_what_is_no_function_is_refused() -> None:
    with pytest.raises(DefinitionError, match="decorates one function"):
        define_tool(description="")(1)


def test_results_are_made_by_their_status() -> None:
    good, bad = ToolResult.success("fine"), ToolResult.error("wrong", stack="here")

    assert (good.status, good.result, good.error) == ("success", "fine", None)
    assert (bad.status, bad.result, bad.error, bad.stack) == ("error", None, "wrong", "here")


def test_a_prompt_loses_its_indentation_and_nothing_else() -> None:
    text = """
        First.

          Indented, with a\ttab.
        Last.
    """

    assert prompt(text) == "First.\n\n  Indented, with a\ttab.\nLast."
    assert prompt.lines(text) == ["First.", "", "  Indented, with a\ttab.", "Last."]
    assert prompt("one line ") == "one line "


@pytest.mark.rule("D4")
def test_the_short_import_offers_the_same_names() -> None:
    assert all(getattr(workbench, name) is getattr(authoring, name) for name in workbench.__all__)


@pytest.mark.rule("D4")
def test_the_worker_fills_every_name_of_the_state_and_the_context() -> None:
    from workbench.worker.asking import Asking
    from workbench.worker.context import Context, Identity
    from workbench.worker.state import State

    asking = Asking(None)  # type: ignore[arg-type]
    for protocol, made in (
        (authoring.ThreadState, State(Identity({}), asking)),
        (authoring.ToolContext, Context(Identity({}), asking)),
    ):
        methods = {name: value for name, value in vars(protocol).items() if inspect.isfunction(value)}
        promised = {*protocol.__annotations__, *methods}
        for name in {name for name in promised if not name.startswith("_")}:
            first, *rest = name.split("_")
            camel_case = first + "".join(word.capitalize() for word in rest)
            assert getattr(made, name) == getattr(made, camel_case), name
        for name, method in methods.items():
            if not name.startswith("_"):
                ours = inspect.signature(getattr(type(made), name)).parameters
                assert list(ours) == list(inspect.signature(method).parameters), name
