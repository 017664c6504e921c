"""The `workbench` command: its commands, and the one place where an error becomes words and an exit code."""

from __future__ import annotations

import asyncio
import difflib
import importlib
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from workbench.base.errors import BugError, NotThere, RunError, WorkbenchError
from workbench.cli.output import say, say_error
from workbench.cli.session import Exit, Session, verbose_option
from workbench.cli.window import open_project

_OPEN = "open"
_COMMANDS = {
    "check": ("workbench.cli.check", "Say what is wrong with the project's files."),
    "definitions": (
        "workbench.cli.definitions",
        "List the tools, prompts, agents and all else that is defined.",
    ),
    "tool": ("workbench.cli.tools", "List the tools, show one, call one."),
    "thread": ("workbench.cli.threads", "Start agents, talk with them, look at what they did."),
    "effect": ("workbench.cli.effects", "List what threads have scheduled, run it now, take it back."),
    "connection": ("workbench.cli.connections", "List the connections to MCP servers, look at one."),
    "mcp": ("workbench.cli.mcp", "Serve the project's tools to an MCP client."),
    "call": ("workbench.cli.calls", "List the calls, show one, search them."),
    "traces": ("workbench.cli.traces", "Hand histories to a trace store."),
    "var": ("workbench.cli.variables", "List the variables, set and remove their values."),
    "run": ("workbench.cli.run", "Run a TypeScript or JavaScript file in the sandbox."),
    "serve": ("workbench.cli.serve", "Serve the project's tools to other programs, over HTTP."),
    "new": ("workbench.cli.new", "Make a new tool, prompt, agent or other definition."),
    "doctor": ("workbench.cli.doctor", "Look at what this machine has and lacks."),
    "demo": ("workbench.cli.demo", "Run the demonstration of a project, or the sample's, in the terminal."),
}
"""Every command with its module, which has a command of that name, and what the overview says of it."""


class _Commands(click.Group):
    """Imports a command when it is used, so that --help and --version answer at once.

    A first word that names no command is the project to open.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return super().get_command(ctx, cmd_name)
        command: click.Command = getattr(importlib.import_module(_COMMANDS[cmd_name][0]), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            if not Path(args[0]).is_dir():
                raise click.UsageError(self._neither(ctx, args[0]), ctx)
            args = [_OPEN, *args]
        return super().resolve_command(ctx, args)

    def _neither(self, ctx: click.Context, word: str) -> str:
        near = difflib.get_close_matches(word, self.list_commands(ctx), n=1)
        hint = f" Did you mean `{near[0]}`?" if near else ""
        return f"{word} is neither a command nor a folder.{hint}"


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    subcommand_metavar="[PROJECT | COMMAND [ARGS]...]",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(
    package_name="agent-tool-workbench", prog_name="workbench", message="%(prog)s %(version)s"
)
@verbose_option
@click.pass_context
def workbench(context: click.Context) -> int | None:
    """Author, call and debug tools for AI agents.

    Without a command the window opens: on PROJECT, else on the project of the current folder, else on the one
    that was open last, the first time on your own copy of the sample.
    """
    if context.invoked_subcommand is None:
        return context.invoke(open_project)
    return None


workbench.add_command(open_project)


def run(open_window: Callable[[Path], int], arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code (H2). `open_window` opens the window on a project."""
    session = Session(open_window, verbose=bool(os.environ.get("WORKBENCH_DEBUG")))
    try:
        code = workbench.main(arguments, prog_name="workbench", obj=session, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except (KeyboardInterrupt, asyncio.CancelledError, click.Abort):
        say("Interrupted.")
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # Who read our output has gone; a second complaint, from the interpreter at its end, helps nobody.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.FAILED
    except WorkbenchError as error:
        say_error(error, details=session.verbose)
        return exit_code(error)
    except Exception as error:
        bug = BugError(
            f"Workbench itself failed: {type(error).__name__}: {error}",
            hint="This is not your fault. Please report it with the details.",
            detail=traceback.format_exc(),
        )
        say_error(bug, details=session.verbose)
        return Exit.BUG
    return code if isinstance(code, int) else Exit.OK


_CODES = {
    "unknown_tool": Exit.NOT_CALLABLE,
    "tool_not_callable": Exit.NOT_CALLABLE,
    "session_not_found": Exit.NOT_CALLABLE,
    "not_found": Exit.NOT_CALLABLE,
    "session_busy": Exit.UNAVAILABLE,
    "workspace_unavailable": Exit.UNAVAILABLE,
    "unauthorized": Exit.UNAVAILABLE,
    "unavailable": Exit.UNAVAILABLE,
    "internal_error": Exit.UNAVAILABLE,
}


def exit_code(error: WorkbenchError) -> Exit:
    """By the refusal's code (H1) when it has one, else by whose trouble it is."""
    code = getattr(error, "code", None)
    if code in _CODES:
        return _CODES[code]
    if isinstance(error, BugError):
        return Exit.BUG
    if isinstance(error, NotThere):
        return Exit.NOT_CALLABLE
    return Exit.UNAVAILABLE if isinstance(error, RunError) else Exit.USAGE
