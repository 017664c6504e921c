"""The doors for other programs: tools called over HTTP, and events to follow (H1, H4)."""

from workbench.server.desk import ServerDesk
from workbench.server.serving import Server

__all__ = ["Server", "ServerDesk"]
