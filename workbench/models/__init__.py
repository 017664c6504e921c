"""Models behind one port: a script that is played, the person at the window, and the real providers."""

from workbench.models.human import HumanModels, Question, WrittenCall
from workbench.models.models import Models
from workbench.models.recorded import RecordedModels
from workbench.models.recording import recorded_script, written
from workbench.models.script import Script, Step
from workbench.models.script_reading import ScriptFault, read_script
from workbench.models.scripted import BUILT_IN, ScriptedModels, why_not_read

__all__ = [
    "BUILT_IN",
    "HumanModels",
    "Models",
    "Question",
    "RecordedModels",
    "Script",
    "ScriptFault",
    "ScriptedModels",
    "Step",
    "WrittenCall",
    "read_script",
    "recorded_script",
    "why_not_read",
    "written",
]
