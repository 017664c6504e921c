"""The reference page has everything there is, with the defaults that it has: read off the code itself."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from workbench import authoring
from workbench.app import CallRefused, Workbench
from workbench.base.paths import resources_dir
from workbench.cli import main
from workbench.domain.calls import Origin
from workbench.domain.hooks import HOOKS
from workbench.project.settings import (
    TABLES,
    CallerSettings,
    ConnectionSettings,
    Retention,
    Settings,
    says,
)

PAGE = (resources_dir() / "help" / "reference.md").read_text("utf-8")


def section(title: str) -> str:
    """The text under a heading of the second level."""
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def written(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) and not isinstance(value, Origin) else str(value)


def called(function: Callable[..., Any]) -> str:
    """A function as the page writes it: `name(first, *, second=1)`."""
    parts: list[str] = []
    for one in list(inspect.signature(function).parameters.values()):
        if one.name in {"self", "cls"}:
            continue
        if one.kind is one.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        parts.append(one.name if one.default is one.empty else f"{one.name}={written(one.default)}")
    return f"{function.__name__}({', '.join(parts)})"


def methods(protocol: type) -> Iterator[Callable[..., Any]]:
    for name, value in vars(protocol).items():
        if inspect.isfunction(value) and not name.startswith("_"):
            yield value


def test_every_field_of_a_definition_is_there() -> None:
    fields = set(inspect.signature(authoring.define_tool).parameters) - {"positional", "unknown"}

    assert set(re.findall(r"^\| `(\w+)` \|", section("define_tool"), re.MULTILINE)) == fields


def test_every_field_of_a_variable_is_there_with_its_default() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.+?) \|$", section("Variable"), re.MULTILINE)

    assert rows == [
        (field.name, "required" if field.default is dataclasses.MISSING else f"`{written(field.default)}`")
        for field in dataclasses.fields(authoring.Variable)
    ]


def test_results_and_files_are_made_as_it_says() -> None:
    text = section("ToolResult and files")

    assert f"ToolResult.{called(authoring.ToolResult.success)}" in text
    assert f"ToolResult.{called(authoring.ToolResult.error).replace('make', 'error', 1)}" in text
    assert called(authoring.ToolAttachment) in text
    assert called(authoring.ToolAttachment.from_bytes) in text
    assert called(authoring.AttachmentRef) in text


def test_every_method_and_fact_of_the_state_is_there() -> None:
    text = section("state")

    assert [one for one in map(called, methods(authoring.ThreadState)) if f"| `{one}` |" not in text] == []
    assert [name for name in authoring.ThreadState.__annotations__ if f"`{name}`" not in text] == []
    assert text.count("\n| `") == len(list(methods(authoring.ThreadState)))


def test_everything_of_the_context_is_there() -> None:
    text = section("ToolContext")
    names = [*authoring.ToolContext.__annotations__, *map(called, methods(authoring.ToolContext))]

    assert re.findall(r"^\| `(.+?)` \|", text, re.MULTILINE) == names


def test_every_setting_is_there_with_what_it_must_be_its_default_and_what_it_does() -> None:
    expected: set[tuple[str, ...]] = set()
    named = {"connections.NAME": ConnectionSettings, "server.callers.NAME": CallerSettings}
    for table, model in {"": Settings, **TABLES, **named}.items():
        for name, field in model.model_fields.items():
            words = says(field)
            if words is not None:
                key = f"{table}.{name}".lstrip(".")
                expected.add((f"`{key}`", words.expects, default(field.default), words.doc))

    rows = re.findall(r"^\| (`.+?`) \| (.+?) \| (.+?) \| (.+?) \|$", section("workbench.toml"), re.MULTILINE)
    assert set(rows) == expected


def default(value: object) -> str:
    """A setting's default as TOML; nothing at all is none."""
    if isinstance(value, Retention):
        return '`"off"`' if value == Retention() else f"`{value}`"
    if isinstance(value, bool):
        return f"`{value}`".lower()
    return f"`{value}`" if value else "none"


def test_every_option_of_a_call_is_there_with_its_default() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.+?) \|$", section("Call a tool from Python"), re.MULTILINE)
    options = list(inspect.signature(Workbench.call_tool).parameters.values())[1:]

    assert rows == [
        (one.name, "required" if one.default is one.empty else f"`{default_of_option(one.default)}`")
        for one in options
    ]


def default_of_option(value: object) -> str:
    return f"Origin.{value.name}" if isinstance(value, Origin) else written(value)


def test_every_code_of_a_refusal_is_there_and_ends_a_command_as_it_says() -> None:
    text = section("When a call is refused")
    codes = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    published = re.findall(r"`(\w+)`", (CallRefused.__doc__ or "").split("(")[1].split(")")[0])
    ends = [int(main.exit_code(CallRefused(code, "No."))) for code in codes]

    assert set(codes) == set(published)
    assert ends == [3, 3, 2, 3, 2, 4, 4]


def test_every_field_of_every_kind_is_on_the_page_about_agents() -> None:
    page = (resources_dir() / "help" / "writing-agents.md").read_text("utf-8")
    for define in (authoring.define_prompt, authoring.define_agent, authoring.define_model):
        part = page.split(f"\n## {define.__name__}\n")[1].split("\n## ")[0]
        rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
        named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]

        assert named == [
            name for name in inspect.signature(define).parameters if name not in {"positional", "unknown"}
        ]


def test_every_hook_is_on_the_page_about_agents_with_what_it_gets() -> None:
    page = (resources_dir() / "help" / "writing-agents.md").read_text("utf-8")

    for hook, shape in HOOKS.items():
        (row,) = re.findall(rf"^\| `{hook}` \|(.*)\|(.*)\|$", page, re.MULTILINE)
        assert ", ".join(shape.parameters) in row[0].replace("nothing", "")
        assert bool(row[1].strip()) == shape.transforms
