"""Calling the sample's tools as a program does that has opened it."""

from __future__ import annotations

import json
from typing import Any

from workbench.app import Workbench
from workbench.domain.calls import Call, Origin


async def run(desk: Workbench, tool: str, **arguments: Any) -> Call:
    call_id = await desk.start_call(tool, json.dumps(arguments).encode(), origin=Origin.PYTHON)
    return await desk.wait_call(call_id)


async def text(desk: Workbench, tool: str, **arguments: Any) -> str:
    call = await run(desk, tool, **arguments)
    assert call.result is not None
    assert not call.is_error, call.result.text
    return call.result.text
