"""The protocol's own conformance tests, of our server and of our client; what of them does not apply, and why."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from tests.npm_peers import npm_peers
from tests.server.conformance_project import write_conformance_project
from workbench.app import open_workbench
from workbench.engine.doubles.vault import MemoryVault
from workbench.server import Server
from workbench.server.serving import Place

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CLIENT = Path(__file__).parents[1] / "hosts" / "peers" / "conformance_client.py"

NOT_SERVED = {
    "logging-set-level": "no log level is taken: logging is deprecated in the newest version",
    "tools-call-with-logging": "the log of a call is kept here and not sent: logging is deprecated",
    "completion-complete": "a project's tools have nothing to complete",
    "tools-call-sampling": "a tool that needs a model asks one here, not its caller's",
    "tools-call-elicitation": "a tool's questions are answered in the window, not by its caller",
    "elicitation-sep1034-defaults": "as tools-call-elicitation",
    "elicitation-sep1330-enums": "as tools-call-elicitation",
    **dict.fromkeys(
        (
            "resources-list", "resources-read-text", "resources-read-binary", "resources-templates-read",
            "resources-subscribe", "resources-unsubscribe",
        ),
        "tools are served, no resources",
    ),
    **dict.fromkeys(
        (
            "prompts-list", "prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource",
            "prompts-get-with-image",
        ),
        "prompts of a project are for its agents; they are not served",
    ),
}  # fmt: skip
"""Scenarios of the active suite that fail since they ask for what is not offered, with the reason."""

CLIENT_SCENARIOS = ("initialize", "tools_call", "sse-retry")
"""Beside these there are only those of OAuth and of elicitation, which a connection does not have: it has headers."""


@pytest.mark.rule("H6")
async def test_our_server_passes_every_scenario_of_tools(tmp_path: Path) -> None:
    npm = npm_peers()
    root = write_conformance_project(tmp_path / "desk")
    async with open_workbench(root, data_dir=tmp_path / "person", vault=MemoryVault()) as wb:
        server = await Server.start(wb, Place(port=0), token=None)
        ended = await asyncio.to_thread(npm.run, "conformance", "server", "--url", f"{server.url}/mcp")
        await server.stop(grace=0.0)
    outcome = dict(re.findall(r"^[✓✗] (\S+): \d+ passed, (\d+) failed", ended.stdout, re.MULTILINE))
    assert len(outcome) >= 30, ended.stdout[-2000:] + ended.stderr[-2000:]
    assert {name for name, failed in outcome.items() if failed != "0"} == NOT_SERVED.keys()


@pytest.mark.rule("H6")
@pytest.mark.parametrize("scenario", CLIENT_SCENARIOS)
def test_our_client_passes(scenario: str) -> None:
    command = f"{sys.executable} {CLIENT}"
    ended = npm_peers().run("conformance", "client", "--command", command, "--scenario", scenario)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]
    assert re.search(r"[1-9]\d*/\d+|[1-9]\d* passed", ended.stdout + ended.stderr)
