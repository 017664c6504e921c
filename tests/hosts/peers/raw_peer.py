"""An MCP server without a library, over stdio: quick to start, and able to misbehave in every way that is asked of it.

Its argument is JSON: {"tools": [...], "mode": "..."}; see `_start` for the modes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from typing import Any

SETTINGS: dict[str, Any] = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
MODE: str = SETTINGS.get("mode", "")
ECHO: dict[str, Any] = {
    "name": "echo",
    "description": "Gives back what it was given.",
    "inputSchema": {"type": "object", "properties": {"value": {}}},
    "annotations": {"readOnlyHint": True},
}
TOOLS: list[Any] = SETTINGS.get("tools") or [ECHO]
_waiting: dict[object, threading.Event] = {}


def write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def send(**message: Any) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}))


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def initialize(_: dict[str, Any], params: dict[str, Any]) -> dict[str, Any] | None:
    if MODE == "silent" or os.environ.get("SILENT"):
        return None
    if MODE == "exits":
        say("no licence found")
        os._exit(3)
    return {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {"listChanged": True}},
        "serverInfo": {"name": "raw", "version": "1"},
        "instructions": "Be quick.",
    }


def list_tools(_: dict[str, Any], params: dict[str, Any]) -> dict[str, Any] | None:
    if MODE == "endless line":
        while True:
            sys.stdout.write("x" * (1 << 20))
    if MODE == "endless list":
        return {"tools": [], "nextCursor": "more"}
    size = SETTINGS.get("page") or len(TOOLS)
    at = int(params.get("cursor") or 0)
    page: dict[str, Any] = {"tools": TOOLS[at : at + size]}
    if at + size < len(TOOLS):
        page["nextCursor"] = str(at + size)
    return page


def call(request: dict[str, Any], params: dict[str, Any]) -> dict[str, Any] | None:
    name: str = params["name"]
    arguments: dict[str, Any] = params.get("arguments") or {}
    meta: dict[str, Any] = params.get("_meta") or {}
    token: object = meta.get("progressToken")
    if name == "echo":
        result = text(json.dumps(arguments))
        if isinstance(arguments.get("value"), dict):
            result["structuredContent"] = arguments["value"]
        return result
    if name == "env":
        return text(os.environ.get(arguments["name"], "(nothing)"))
    if name == "steps":
        for step in range(1, 4):
            said = {"progressToken": token, "progress": step, "total": 3, "message": f"step {step}"}
            send(method="notifications/progress", params=said)
        return text("walked")
    if name == "wait":
        stopped = _waiting[request["id"]] = threading.Event()
        send(method="notifications/progress", params={"progressToken": token, "progress": 0})
        stopped.wait()
        say("the wait was called off")
        return None
    if name == "die":
        os.abort()
    if name == "nonsense":
        return {"content": "this should be a list"}
    if name == "refuse":
        send(id=request["id"], error={"code": -32602, "message": "I do not like these arguments"})
        return None
    if name == "media":
        return {
            "content": [
                {"type": "text", "text": "a picture and a sound"},
                {"type": "image", "mimeType": "image/png", "data": SETTINGS["picture"]},
                {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"},
                {"type": "resource_link", "uri": "file:///a/report.txt", "name": "report"},
                {"type": "resource", "resource": {"uri": "mem://notes.txt", "text": "some notes"}},
                {"type": "resource", "resource": {"uri": "mem://raw.bin", "blob": "AAEC"}},
            ]
        }
    if name == "grow":
        TOOLS.append({**ECHO, "name": f"echo_{len(TOOLS)}"})
        send(method="notifications/tools/list_changed")
        return text("grown")
    return {**text(f"no tool {name}"), "isError": True}


METHODS = {"initialize": initialize, "tools/list": list_tools, "tools/call": call}


def answer(request: dict[str, Any]) -> None:
    method = METHODS.get(request["method"])
    if method is None:
        send(id=request["id"], error={"code": -32601, "message": "unknown method"})
        return
    result = method(request, request.get("params") or {})
    if result is not None:
        send(id=request["id"], result=result)


def _start() -> None:
    if MODE == "talks":
        write("Welcome! This is no JSON.")
    if MODE == "flood":
        threading.Thread(target=_flood, daemon=True).start()
    if MODE == "leaves a child":
        subprocess.Popen(["sleep", "600"])
    say("listening")
    for line in sys.stdin:
        request = json.loads(line)
        if request.get("method") == "notifications/cancelled":
            if stopped := _waiting.get(request["params"]["requestId"]):
                stopped.set()
        elif "id" in request and "method" in request:
            threading.Thread(target=answer, args=(request,), daemon=True).start()
    if MODE == "stays":
        while True:
            time.sleep(60)


def _flood() -> None:
    while True:
        send(method="notifications/message", params={"level": "info", "data": "again and again"})


_start()
