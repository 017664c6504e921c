"""The text of a prompt: includes, arguments and variables in their places, and nothing that does not belong there."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.agent_values import a_prompt
from workbench.domain.definitions import VariableSpec
from workbench.domain.prompts import EnvPart, IncludePart, PromptDefinition
from workbench.domain.variables import Resolved, Scope, VariableType
from workbench.engine.catalog.directory import Directory
from workbench.engine.catalog.text import Rendered, UnusablePrompt, pieces, render, text_variables

TEXT = VariableType.TEXT


def rendered(
    *prompts: PromptDefinition, arguments: dict[str, object] | None = None, **values: str | None
) -> Rendered:
    """The text of the first prompt, its variables texts."""
    directory = Directory(prompts)
    resolved = {
        name: Resolved(name=name, type=TEXT, value=value, scope=Scope.THREAD)
        for name, value in values.items()
    }
    return render(pieces(directory, prompts[0]), arguments or {}, resolved)


@pytest.mark.rule("D13")
def test_parts_are_joined_with_nothing_between_and_includes_stand_where_they_are_written() -> None:
    inner = a_prompt("inner", "in", EnvPart(property="TONE"))
    desk = a_prompt("desk", "[", IncludePart(prompt="inner"), "][", IncludePart(prompt="inner"), "]")
    assert rendered(desk, inner, TONE="!").text == "[in!][in!]"


@pytest.mark.rule("D13")
@pytest.mark.parametrize(
    ("written", "arguments", "text"),
    [
        ("Hello {{name}}.", {"name": "Ada"}, "Hello Ada."),
        ("{{ name }}{{name}}", {"name": "x"}, "xx"),
        ("{{count}} {{on}} {{none}}", {"count": 3, "on": True, "none": None}, "3 true null"),
        ("{{list}}", {"list": ["ü", {"a": 1}]}, '["ü",{"a":1}]'),
        (r"\{{name}} and {{name}}", {"name": "x"}, "{{name}} and x"),
        ("{{name}} {{other}}", {"name": "{{other}}", "other": "x"}, "{{other}} x"),
        ("{name} {{}} {{1}} {{a b}} {{ name", {"name": "x"}, "{name} {{}} {{1}} {{a b}} {{ name"),
        ("{{{name}}}", {"name": "x"}, "{x}"),
        ("{{a-b}} {{a_b}}", {"a-b": "1", "a_b": "2"}, "1 2"),
    ],
)
def test_arguments_stand_for_their_names(written: str, arguments: dict[str, object], text: str) -> None:
    assert rendered(a_prompt("desk", written), arguments=arguments) == Rendered(text)


@pytest.mark.rule("D13")
def test_a_name_that_no_argument_has_stays_as_written_and_is_told_once() -> None:
    found = rendered(a_prompt("desk", "{{who}} {{who}} {{what}}"), arguments={"what": "x"})
    assert found == Rendered("{{who}} {{who}} x", unknown=("who",))


@pytest.mark.rule("D13")
def test_the_value_of_a_variable_is_not_looked_at_again() -> None:
    desk = a_prompt("desk", EnvPart(property="TONE"))
    assert rendered(desk, arguments={"who": "Ada"}, TONE="{{who}}").text == "{{who}}"


@pytest.mark.rule("D13", "V6")
def test_a_secret_is_never_a_part_of_the_text() -> None:
    desk = a_prompt("desk", EnvPart(property="KEY"))
    secret = Resolved(name="KEY", type=VariableType.SECRET, value="sk-very-secret", scope=Scope.INSTANCE)
    with pytest.raises(UnusablePrompt, match="KEY is a secret") as refused:
        render(pieces(Directory([desk]), desk), {}, {"KEY": secret})
    assert "sk-very-secret" not in f"{refused.value.message}{refused.value.hint}{refused.value.detail}"


@pytest.mark.rule("D13", "C5")
def test_a_variable_without_a_value_is_left_empty_and_told_when_it_is_required() -> None:
    optional = VariableSpec(name="TONE", type=TEXT, required=False)
    desk = a_prompt(
        "desk", "<", EnvPart(property="TONE"), EnvPart(property="DESK"), ">", variables=(optional,)
    )
    found = rendered(desk, TONE=None, DESK=None)
    assert found == Rendered("<>", missing=("DESK",))


@pytest.mark.rule("D13")
def test_the_variables_of_the_text_are_known_with_what_their_own_prompt_says_of_them() -> None:
    spec = VariableSpec(name="TONE", type=TEXT)
    inner = a_prompt("inner", EnvPart(property="TONE"), variables=(spec,))
    desk = a_prompt("desk", IncludePart(prompt="inner"), EnvPart(property="DESK"))
    assert text_variables(pieces(Directory([desk, inner]), desk)) == {"TONE": spec, "DESK": None}


@pytest.mark.rule("D13")
def test_what_includes_itself_or_what_is_not_there_gives_no_text() -> None:
    round_and_round = [a_prompt("a", IncludePart(prompt="b")), a_prompt("b", IncludePart(prompt="a"))]
    with pytest.raises(UnusablePrompt, match="a → b → a"):
        rendered(*round_and_round)
    with pytest.raises(UnusablePrompt, match="includes nothing, which is not there"):
        rendered(a_prompt("a", IncludePart(prompt="nothing")))


@pytest.mark.rule("D13")
@given(st.lists(st.sampled_from(["{{", "}}", "{", "}", "\\", "a", "name", " ", "\n", "{{name}}"])))
def test_any_text_without_a_whole_placeholder_comes_out_as_it_went_in(pieces_of_text: list[str]) -> None:
    written = "".join(pieces_of_text)
    plain = re.sub(r"\\?\{\{\s*[A-Za-z_][\w-]*\s*\}\}", "", written)
    while (shorter := re.sub(r"\\?\{\{\s*[A-Za-z_][\w-]*\s*\}\}", "", plain)) != plain:
        plain = shorter
    assert rendered(a_prompt("desk", plain), arguments={"name": "x"}) == Rendered(plain)
