"""Models behind one port: a script that is played, the person at the window, and the real providers."""

from workbench.models.human import HumanModels, Question, WrittenCall
from workbench.models.models import Models
from workbench.models.recording import recorded_script, written
from workbench.models.script import Script, Step
from workbench.models.scripted import ScriptedModels

__all__ = [
    "HumanModels",
    "Models",
    "Question",
    "Script",
    "ScriptedModels",
    "Step",
    "WrittenCall",
    "recorded_script",
    "written",
]
