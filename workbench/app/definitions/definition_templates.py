"""New prompts, agents, models, hooks, handlers and effects: small files that work, and what they cannot do without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from workbench.app.definitions.typescript_templates import TYPESCRIPT_SOURCES
from workbench.app.new_names import check_new_name, identifier
from workbench.base.errors import UserError
from workbench.domain.definitions import DefinitionKind


class DefinitionTemplate(NamedTuple):
    """`title` is the kind as a person reads it; `about` says what the new file does; `needs` are written beside it
    where the project has no such file: a kind, and its name, or None for the same name."""

    title: str
    about: str
    source: str
    needs: tuple[tuple[DefinitionKind, str | None], ...] = ()


DEFINITION_TEMPLATES: Mapping[DefinitionKind, DefinitionTemplate] = {
    DefinitionKind.PROMPT: DefinitionTemplate(
        "Prompt",
        "A text for a model, and a model that needs no network.",
        '''"""What the model is told first."""

from workbench.authoring import define_prompt, prompt

{function} = define_prompt(
    name="{name}",
    tool_description="Say what for another model would call this prompt.",
    prompt=prompt(
        """
        You help whoever writes to you. Answer in one sentence.
        """
    ),
    model="offline",
    include_chat=True,
    include_past_tools=True,
    tools=[],
)
''',
        ((DefinitionKind.MODEL, "offline"),),
    ),
    DefinitionKind.AGENT: DefinitionTemplate(
        "Agent",
        "A prompt on one side, a person on the other.",
        '''"""Who talks with whom."""

from workbench.authoring import HumanSide, PromptSide, define_agent

{function} = define_agent(
    name="{name}",
    description="Say what the agent is for.",
    side_a=PromptSide(prompt="{name}", max_steps=20),
    side_b=HumanSide(),
)
''',
        ((DefinitionKind.PROMPT, None),),
    ),
    DefinitionKind.MODEL: DefinitionTemplate(
        "Model",
        "The scripted model, which needs no network; the real ones are named in its file.",
        '''"""A model by what it is used for, so that another can take its place here."""

from workbench.authoring import define_model

# The others: human (you write the answers), openai, anthropic, google, openrouter, and openai-compatible with a
# base_url. Their keys are variables, such as OPENAI_API_KEY.
model = define_model(
    name="{name}",
    provider="scripted",
)
''',
    ),
    DefinitionKind.HOOK: DefinitionTemplate(
        "Hook",
        "Looks at the messages before each request; an agent or a prompt lists it.",
        '''"""What happens before a request: an agent or a prompt lists this hook by its id."""

from workbench.authoring import Record, ThreadState, define_hook


@define_hook(hook="filter_messages", id="{name}")
def {function}(state: ThreadState, messages: list[Record]) -> list[Record]:
    return [message for message in messages if message.content != "…"]
''',
    ),
    DefinitionKind.HANDLER: DefinitionTemplate(
        "Handler",
        "Takes the turns of a side instead of a model.",
        '''"""Code on one side of an agent: HandlerSide(handler="{name}")."""

from workbench.authoring import Record, ThreadState, define_handler


@define_handler(description="Say what the handler answers.")
def {function}(state: ThreadState, message: Record) -> str:
    return f"Received {{len(message.content or '')}} characters."
''',
    ),
    DefinitionKind.EFFECT: DefinitionTemplate(
        "Effect",
        "Runs later, when a tool has scheduled it.",
        '''"""What runs later, once a tool has said: await state.schedule_effect("{name}", {{"text": "…"}}, delay)."""

from pydantic import BaseModel

from workbench.authoring import ThreadState, define_effect


class Args(BaseModel, extra="forbid"):
    text: str


async def run(state: ThreadState, args: Args) -> None:
    state.log(args.text)


effect = define_effect("Say what the effect does.", Args, run)
''',
    ),
}

_SUFFIXES = {False: ".py", True: ".ts"}


def write_definition(
    root: Path, kind: DefinitionKind, name: str, *, typescript: bool = False
) -> tuple[Path, ...]:
    """Write a new definition that is no tool, and what it needs; returns the files, the asked one first.

    Raises UserError for a name that the kind cannot have, and one that is taken.
    """
    check_new_name(kind, name, _SUFFIXES[typescript])
    for taken in _there(root, kind, name):
        raise UserError(f"{taken.relative_to(root)} is there already.", hint="Choose another name.")
    return tuple(_written(root, kind, name, typescript=typescript))


def _written(root: Path, kind: DefinitionKind, name: str, *, typescript: bool) -> list[Path]:
    template = DEFINITION_TEMPLATES[kind]
    source = TYPESCRIPT_SOURCES[kind] if typescript else template.source
    path = _stem(root, kind, name).with_suffix(_SUFFIXES[typescript])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(source.format(name=name, function=identifier(name)))
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.") from error
    files = [path]
    for needed, its_name in template.needs:
        if not any(_there(root, needed, its_name or name)):
            files += _written(root, needed, its_name or name, typescript=typescript)
    return files


def _there(root: Path, kind: DefinitionKind, name: str) -> Iterator[Path]:
    """The files, in whichever language, that have the name."""
    stem = _stem(root, kind, name)
    return stem.parent.glob(f"{stem.name}.*")


def _stem(root: Path, kind: DefinitionKind, name: str) -> Path:
    """The file of a definition without its suffix."""
    return root / "agents" / f"{kind}s" / (name.replace("-", "_") if kind is DefinitionKind.MODEL else name)
