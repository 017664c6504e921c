"""A request as a command line: what the provider's client would send, caught where it would leave."""

from __future__ import annotations

import json
import shlex
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from workbench.base.errors import UserError
from workbench.domain.model_requests import ModelRequest, OfferedTool, TextPart, UserTurn
from workbench.domain.models import Provider
from workbench.models import Models
from workbench.models.wire import KEY, Wire

ASKED = 'Where is it\'s parcel "A-1"? $HOME `id` שלום'


@pytest.fixture
async def models(tmp_path: Path) -> AsyncIterator[Models]:
    made = Models(tmp_path)
    yield made
    await made.close()


def request(provider: Provider) -> ModelRequest:
    return ModelRequest(
        provider=provider,
        model="some/model",
        system="You help with parcels.",
        turns=(UserTurn(content=(TextPart(text=ASKED),)),),
        tools=(OfferedTool(name="look", description="Look it up.", input_schema={"type": "object"}),),
        max_output_tokens=200,
    )


@pytest.mark.parametrize(
    ("provider", "url", "header"),
    [
        (Provider.OPENAI, "https://api.openai.com/v1/chat/completions", "authorization"),
        (Provider.ANTHROPIC, "https://api.anthropic.com/v1/messages", "authorization"),
        (Provider.OPENROUTER, "https://openrouter.ai/api/v1/chat/completions", "authorization"),
        (Provider.GOOGLE, "https://generativelanguage.googleapis.com/", "x-goog-api-key"),
    ],
)
async def test_the_wire_of_a_provider_is_told_without_asking_it(
    models: Models, provider: Provider, url: str, header: str
) -> None:
    wire = await models.wire(request(provider), None)
    assert wire.method == "POST"
    assert wire.url.startswith(url)
    assert KEY in wire.headers[header]
    body = wire.body.decode()
    assert "some/model" in body + wire.url
    assert json.dumps(ASKED)[1:20] in body
    assert "look" in body


async def test_the_command_has_the_body_to_the_byte_and_the_key_as_a_variable(models: Models) -> None:
    wire = await models.wire(request(Provider.OPENAI_COMPATIBLE), "http://127.0.0.1:8080/v1")
    command = wire.curl("MY_KEY")
    words = shlex.split(command.replace("\\\n", ""))
    assert words[:4] == ["curl", "-X", "POST", "http://127.0.0.1:8080/v1/chat/completions"]
    assert words[-1].encode() == wire.body
    assert '-H "authorization: Bearer $MY_KEY"' in command
    assert KEY not in command
    assert "authorization" not in wire.curl(None)


@pytest.mark.parametrize("provider", [Provider.SCRIPTED, Provider.HUMAN])
async def test_a_model_without_a_wire_has_no_command(models: Models, provider: Provider) -> None:
    with pytest.raises(UserError, match="nothing goes over a wire"):
        await models.wire(request(provider), None)


def test_a_body_that_is_no_text_has_no_command() -> None:
    with pytest.raises(UserError, match="no text"):
        Wire("POST", "http://x", {}, b"\xff").curl(None)
