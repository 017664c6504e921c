"""The definitions of a project as the engine knows them: read from the hosts' raw form, listed, found by name."""

from workbench.engine.catalog.catalog import Catalog
from workbench.engine.catalog.tool_reading import RUN_ELSEWHERE

__all__ = ["RUN_ELSEWHERE", "Catalog"]
