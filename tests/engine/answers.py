"""Short words for requests and deltas."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.domain.definitions import DefinitionFile, DefinitionKind, Dialect, Language
from workbench.domain.model_answers import Delta, Finished, FinishReason
from workbench.domain.model_requests import ModelRequest, OfferedTool, TextPart, UserTurn
from workbench.domain.models import ModelDefinition, Provider
from workbench.engine.models.assembly import Assembly
from workbench.engine.models.call_start import CallStart

PLAIN = OfferedTool(name="plain", description="", input_schema={"type": "object"})
TELLING = OfferedTool(
    name="telling", description="", input_schema={"type": "object"}, progress_argument="intent"
)


def request(**fields: object) -> ModelRequest:
    hello = UserTurn(content=(TextPart(text="Hello"),))
    given: dict[str, object] = {"turns": (hello,), "tools": (PLAIN, TELLING)}
    return ModelRequest.model_validate({"provider": Provider.SCRIPTED, "model": "script", **given, **fields})


def model(name: str = "main", **fields: object) -> ModelDefinition:
    file = DefinitionFile(
        path=f"agents/models/{name}.py",
        kind=DefinitionKind.MODEL,
        dialect=Dialect.STANDARD_AGENTS,
        language=Language.PYTHON,
        name=name,
        digest="",
    )
    given = {"name": name, "file": file, "provider": Provider.SCRIPTED, "model": "script"}
    return ModelDefinition.model_validate({**given, **fields})


def finished(reason: FinishReason = FinishReason.STOP) -> Finished:
    return Finished(reason=reason)


def assembled(deltas: Iterable[Delta], asked: ModelRequest | None = None) -> tuple[Assembly, list[CallStart]]:
    """What the deltas make, and the starts that were announced on the way."""
    assembly = Assembly(asked or request())
    starts = [start for delta in deltas for start in assembly.add(delta)]
    return assembly, starts
