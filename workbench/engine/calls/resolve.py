"""Finding the tool: the name must be known, loaded, and allowed to whoever calls it (C2, C4)."""

from __future__ import annotations

from dataclasses import replace

from workbench.base.sentences import sentence
from workbench.domain.calls import FailureKind, Origin
from workbench.domain.tools import ToolDefinition
from workbench.engine.calls.running import RunningCall, fail
from workbench.engine.services import Services


async def resolve(services: Services, call: RunningCall) -> None:
    """Fill in `definition`, or fail with `unknown_tool` and the nearest names."""
    name = _as_its_caller_means_it(services, call)
    offered = None if name is None else call.setting.find(name, call.request.origin)
    if offered is None:
        message, hint = _why_unknown(services, call)
        raise fail(FailureKind.UNKNOWN_TOOL, message, hint=hint)
    call.tool, call.perform, call.options = offered.tool, offered.perform, offered.options
    if offered.env:
        call.layers = replace(call.layers, tool=offered.env)
    call.update(definition=offered.tool.version)


def _as_its_caller_means_it(services: Services, call: RunningCall) -> str | None:
    """A package's tool means its own package first; what another package keeps to itself is not there for it (D9)."""
    name, parent = call.request.tool, call.parent
    if parent is None:
        return name
    package = parent.tool.package
    space, _ = services.catalog.directory.split(name)
    if space is not None:
        return name if space == package else None
    own = f"{package}/{name}"
    return own if package is not None and services.catalog.find(own) is not None else name


def _why_unknown(services: Services, call: RunningCall) -> tuple[str, str]:
    name = call.request.tool
    broken = services.catalog.why_not_callable(name)
    if broken is not None:
        place = f"{broken.path}, line {broken.line}" if broken.line else broken.path
        return f"The tool {name} cannot be called: {place}: {sentence(broken.message)}", broken.hint
    by_model = call.request.origin is Origin.MODEL
    not_offered = call.setting.why_not_offered(name) if by_model else None
    if not_offered is not None:
        return not_offered
    near = call.setting.nearest(name)
    if near:
        return f"There is no tool named {name}.", f"Did you mean {', '.join(near)}?"
    if by_model:
        return f"There is no tool named {name}.", "Call one of the tools that were offered."
    return f"There is no tool named {name}.", "Run `workbench tool list` to see the names."


async def check_uses(services: Services, call: RunningCall) -> None:
    """A nested call must name a target that its caller declared (C4)."""
    parent = call.parent
    if parent is not None and not may_use(parent.tool, call.request.tool):
        raise fail(FailureKind.UNDECLARED_TARGET, undeclared(parent.tool, call.request.tool))


def may_use(tool: ToolDefinition, target: str) -> bool:
    """No list, no limit, except in a package, which must list them; an empty list permits none (C4, D9)."""
    return tool.package is None if tool.uses is None else target in tool.uses


def undeclared(tool: ToolDefinition, target: str) -> str:
    """What the author reads when the target is missing in `uses`."""
    why = (
        "its `uses` list does not name it" if tool.uses is not None else "a package's tool lists what it uses"
    )
    return f"{tool.name} may not call {target}: {why}."
