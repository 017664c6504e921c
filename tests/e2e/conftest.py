"""The same command to work with as the command line's own tests."""

from __future__ import annotations

from tests.cli.conftest import command, sample

__all__ = ["command", "sample"]
