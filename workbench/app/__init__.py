"""What a person or a program can ask of Workbench, without a window.

async with open_workbench(Path("my-project")) as wb:
    record = await wb.call_tool("convert_length", {"metres": 2})
    print(record.result)
"""

from workbench.app.calls.call_record import CallRecord, CallRefused
from workbench.app.compose import open_workbench
from workbench.app.notices import Notice
from workbench.app.threads.thread_starts import MissingVariable, StartableAgent
from workbench.app.threads.threads import AgentThreads, ThreadRefused
from workbench.app.variables.variable_lines import VariableLine
from workbench.app.workbench import ProjectInfo, Workbench

__all__ = [
    "AgentThreads",
    "CallRecord",
    "CallRefused",
    "MissingVariable",
    "Notice",
    "ProjectInfo",
    "StartableAgent",
    "ThreadRefused",
    "VariableLine",
    "Workbench",
    "open_workbench",
]
