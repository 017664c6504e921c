"""Where a project keeps what: plain paths, so that a project is found before anything else is imported."""

from __future__ import annotations

SETTINGS_FILE = "workbench.toml"

AGENT_SDK_FOLDER = "bot/tools"

DEFINITION_FOLDERS = (
    "agents/tools",
    "agents/prompts",
    "agents/agents",
    "agents/models",
    "agents/hooks",
    "agents/effects",
    "agents/handlers",
    AGENT_SDK_FOLDER,
)
"""Every folder that may hold definitions (D1), relative to the project; the last part names their kind."""
