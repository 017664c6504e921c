"""A link that breaks is the engine's trouble: the call raises it, and the worker is gone."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.hosts.conftest import Bench, RecordingLink


async def test_what_the_link_raises_comes_out_of_the_call(bench: Bench) -> None:
    tool = bench.tool("asks", "tool = define_tool(description='', execute=lambda state: state.env('A'))")

    def breaks(method: str, params: Mapping[str, object]) -> object:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await bench.call(tool, link=RecordingLink(breaks))
    with pytest.raises(TypeError):
        await bench.call(tool, link=RecordingLink(lambda method, params: object()))
    assert await bench.value(tool, link=RecordingLink(lambda method, params: "fine")) == "fine"
