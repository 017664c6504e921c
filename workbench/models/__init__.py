"""Models behind one port: a script that is played, the person at the window, and the real providers."""

from workbench.models.human import HumanModels, Question, WrittenCall
from workbench.models.models import Models
from workbench.models.recording import Recorder, script_of
from workbench.models.script import Script, Step
from workbench.models.scripted import ScriptedModels

__all__ = [
    "HumanModels",
    "Models",
    "Question",
    "Recorder",
    "Script",
    "ScriptedModels",
    "Step",
    "WrittenCall",
    "script_of",
]
