"""What is said of a sandbox that is not there: that it is to be built, or that it is being built now."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from workbench.sandbox import Resources, SandboxUnavailable


def why_not(checkout: Path) -> SandboxUnavailable:
    with pytest.raises(SandboxUnavailable) as raised:
        Resources.find(checkout / "resources" / "sandbox")
    return raised.value


def test_a_sandbox_that_is_being_built_is_said_to_be(tmp_path: Path) -> None:
    lock = os.open(tmp_path, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        while_it_is_built = why_not(tmp_path)
    finally:
        os.close(lock)
    afterwards = why_not(tmp_path)

    assert "is being built" in while_it_is_built.message
    assert "is not built" in afterwards.message
    assert "packaging/sandbox/build.py" in afterwards.hint
