"""`workbench thread answer`: a person answers in the place of a model, whichever process runs the thread."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from workbench.base.errors import UserError
from workbench.cli.given import text_given
from workbench.cli.opening import opened
from workbench.cli.output import say
from workbench.cli.session import Exit, project_options
from workbench.cli.thread_ids import thread_id_of


@click.command(short_help="Answer as the model of a thread.")
@click.argument("name", metavar="ID")
@click.argument("words", metavar="[TEXT|-]", default="", required=False)
@click.option(
    "--call",
    "pairs",
    metavar="TOOL=JSON",
    multiple=True,
    help="A tool to call with these arguments; may be given several times.",
)
@click.option("--decline", is_flag=True, help="Give no answer: the step fails, with TEXT as the reason.")
@project_options
def answer(project: Path, name: str, *, words: str, pairs: tuple[str, ...], decline: bool) -> int:
    """Answer as the model of a thread, where you are the model: with words, calls, or both.

    Ends with 0 when the process that runs the thread has taken the answer, 2 when nothing waits for one, 3 when there
    is no such thread, 4 when that process does not take it.
    """
    if decline and pairs:
        raise click.UsageError("--decline gives no answer: it goes without --call.")
    asyncio.run(_answer(project, name, text_given(words), [_call(pair) for pair in pairs], decline=decline))
    return Exit.OK


def _call(pair: str) -> tuple[str, str]:
    tool, separator, arguments = pair.partition("=")
    if not (tool and separator):
        raise click.UsageError(f"--call takes TOOL=JSON, not {pair}.")
    return tool, arguments


async def _answer(
    project: Path, name: str, text: str, calls: list[tuple[str, str]], *, decline: bool
) -> None:
    async with opened(project, load=False) as wb:
        thread_id = await thread_id_of(wb, name)
        await wb.models.heed()
        question = next((one for one in wb.models.questions() if one.thread_id == thread_id), None)
        if question is None:
            raise UserError(
                "No model's answer is waited for in this thread.",
                hint="A message to it is sent with `workbench thread send`.",
            )
        if decline:
            await wb.models.decline(question.id, text)
        else:
            await wb.models.answer(question.id, text, calls)
        say("It is answered.")
