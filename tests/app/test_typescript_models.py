"""Model files name the packages of their providers; each stands for one of our own model clients."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.agent_files import write_files
from tests.app.projects import OpenProject
from workbench.domain.models import ModelDefinition, Provider

PACKAGES = {
    "openai": (Provider.OPENAI, None, "OPENAI_API_KEY"),
    "anthropic": (Provider.ANTHROPIC, None, "ANTHROPIC_API_KEY"),
    "google": (Provider.GOOGLE, None, "GOOGLE_API_KEY"),
    "openrouter": (Provider.OPENROUTER, None, "OPENROUTER_API_KEY"),
    "cerebras": (Provider.OPENAI_COMPATIBLE, "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    "groq": (Provider.OPENAI_COMPATIBLE, "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "novita": (Provider.OPENAI_COMPATIBLE, "https://api.novita.ai/v3/openai", "NOVITA_API_KEY"),
    "deepinfra": (Provider.OPENAI_COMPATIBLE, "https://api.deepinfra.com/v1/openai", "DEEPINFRA_API_KEY"),
    "xai": (Provider.OPENAI_COMPATIBLE, "https://api.x.ai/v1", "XAI_API_KEY"),
    "test": (Provider.SCRIPTED, None, None),
}


def model(name: str, package: str, *, imported: str = "", fields: str = "") -> dict[str, str]:
    """A model file as its users write one."""
    imported = imported or f"import {{ {package} }} from '@standardagents/{package}';"
    return {
        f"agents/models/{name}.ts": f"import {{ defineModel }} from '@standardagents/spec';\n{imported}\n"
        f"export default defineModel({{ name: '{name}', provider: {package}, model: 'm-1', {fields} }});\n"
    }


@pytest.mark.rule("D12")
async def test_each_providers_package_is_one_of_our_clients_with_its_address_and_key(
    tmp_path: Path, opened: OpenProject
) -> None:
    files = [model(f"by-{package}", package) for package in PACKAGES]
    script = {"m-1": '{"replies": []}'}
    async with opened(write_files(tmp_path / "desk", script, *files)) as wb:
        found = {one.name: one.definition for one in wb.listings()}
        assert wb.diagnostics() == ()

    for package, wanted in PACKAGES.items():
        definition = found[f"by-{package}"]
        assert isinstance(definition, ModelDefinition)
        assert (definition.provider, definition.base_url, definition.key_variable) == wanted
        assert [one.name for one in definition.variables] == [wanted[2]] * (wanted[2] is not None)
        assert definition.model == "m-1"


@pytest.mark.rule("D12")
async def test_what_the_author_says_comes_before_what_a_package_brings(
    tmp_path: Path, opened: OpenProject
) -> None:
    own = model(
        "own", "groq", fields="baseUrl: 'http://localhost:9000/v1', keyVariable: 'MY_KEY', inputPrice: 1"
    )
    async with opened(write_files(tmp_path / "desk", own)) as wb:
        (definition,) = (one.definition for one in wb.listings())

    assert isinstance(definition, ModelDefinition)
    assert (definition.base_url, definition.key_variable) == ("http://localhost:9000/v1", "MY_KEY")
    assert definition.input_price == 1


@pytest.mark.parametrize(
    ("imported", "provider", "words"),
    [
        ("const mine = () => ({ name: 'mine' });", "mine", "The provider is a function; it is a name."),
        ("import { far } from '@standardagents/far';", "far", "npm install @standardagents/far"),
        ("const old = 'opnai';", "old", "Did you mean openai?"),
    ],
)
async def test_a_provider_that_is_none_of_ours_says_what_to_write(
    tmp_path: Path, opened: OpenProject, imported: str, provider: str, words: str
) -> None:
    async with opened(write_files(tmp_path / "desk", model("odd", provider, imported=imported))) as wb:
        (problem,) = wb.diagnostics()

    assert words in f"{problem.message} {problem.hint}"
    assert problem.path == "agents/models/odd.ts"
