"""Schemas that broke other tools, as real tools: what they accept arrives exactly, what they refuse never runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

from tests.app.projects import OpenProject, write_tool
from workbench.app import CallRefused
from workbench.base.exact_json import JsonValue, dump, parse_object

DATA = Path(__file__).parents[1] / "data"

ECHO_RAW = """
import json
from workbench import define_tool

async def execute(state, args):
    return args

tool = define_tool(description={description!r}, args=json.loads({schema!r}), execute=execute)
"""


def cases() -> Iterator[Mapping[str, JsonValue]]:
    whole = parse_object((DATA / "schemas.json").read_bytes())
    yield from cast("list[dict[str, JsonValue]]", whole["cases"])


def write_cases(root: Path) -> None:
    for case in cases():
        name = str(case["id"]).lower()
        source = ECHO_RAW.format(description=str(case["title"]), schema=dump(case["schema"]))
        write_tool(root, name, source)


@pytest.mark.rule("C3", "D5")
async def test_every_hard_schema_accepts_and_refuses_what_it_should(
    tmp_path: Path, opened: OpenProject
) -> None:
    root = tmp_path / "hard"
    write_cases(root)
    wrong: list[str] = []
    async with opened(root) as wb:
        for case in cases():
            name = str(case["id"]).lower()
            for value in cast("list[JsonValue]", case["accepts"]):
                record = await wb.call_tool(name, dump(value))
                if record.is_error or dump(record.result) != dump(value):
                    wrong.append(f"{name} accepts {dump(value)}: {record.result_json}")
            for value in cast("list[JsonValue]", case["rejects"]):
                try:
                    await wb.call_tool(name, dump(value))
                except CallRefused:
                    continue
                wrong.append(f"{name} took {dump(value)}")
    assert wrong == []


@pytest.mark.rule("C3", "D5")
async def test_what_is_no_schema_is_listed_beside_its_neighbours(tmp_path: Path, opened: OpenProject) -> None:
    root = tmp_path / "hard"
    write_cases(root)
    async with opened(root) as wb:
        listings = {listing.name: listing for listing in wb.listings()}
    assert {name for name, listing in listings.items() if not listing.callable} == {"s47"}
    assert "not-a-schema" in {item.code for item in listings["s47"].diagnostics}
    assert "schema-part-dropped" in {item.code for item in listings["s23"].diagnostics}


async def test_real_definitions_of_a_public_server_load_and_validate(
    tmp_path: Path, opened: OpenProject
) -> None:
    root = tmp_path / "public"
    whole = parse_object((DATA / "real-mcp-tools.json").read_bytes())
    tools = cast("list[dict[str, JsonValue]]", whole["tools"])
    for tool in tools:
        source = ECHO_RAW.format(description=str(tool["description"]), schema=dump(tool["inputSchema"]))
        write_tool(root, str(tool["name"]).replace("-", "_"), source)
    async with opened(root) as wb:
        assert len(wb.listings()) == len(tools)
        assert [listing.name for listing in wb.listings() if not listing.callable] == []
        for listing in wb.listings():
            required = (listing.tool.input_schema or {}).get("required") if listing.tool else None
            problems = wb.check_arguments(listing.name, b"{}")
            assert len(problems) >= len(cast("list[str]", required or []))


@pytest.mark.rule("C3")
async def test_a_pattern_that_backtracks_without_end_is_decided_at_once(
    tmp_path: Path, opened: OpenProject
) -> None:
    schema = dump({"type": "object", "properties": {"text": {"type": "string", "pattern": "^(a+)+$"}}})
    write_tool(tmp_path / "p", "slow", ECHO_RAW.format(description="Slow pattern.", schema=schema))
    async with opened(tmp_path / "p") as wb:
        with pytest.raises(CallRefused):
            await wb.call_tool("slow", {"text": "a" * 50_000 + "!"})


@pytest.mark.rule("C3")
async def test_a_remote_reference_is_refused_without_a_request(tmp_path: Path, opened: OpenProject) -> None:
    schema = dump({"type": "object", "properties": {"a": {"$ref": "http://schemas.example/a.json"}}})
    write_tool(tmp_path / "p", "remote", ECHO_RAW.format(description="Remote.", schema=schema))
    async with opened(tmp_path / "p") as wb:
        (listing,) = wb.listings()
        assert any("schemas.example" in item.message for item in listing.diagnostics)
