"""What runs inside the interpreter of a person's project needs nothing newer than Python 3.9 and its library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.architecture.tree import PACKAGE


def vermin(*paths: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-c",
        "import vermin; vermin.main()",
        "--target=3.9-",
        "--violations",
        "--no-tips",
        *map(str, paths),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_authoring_and_worker_run_on_python_3_9() -> None:
    outcome = vermin(PACKAGE / "__init__.py", PACKAGE / "authoring", PACKAGE / "worker")

    assert outcome.returncode == 0, outcome.stdout


def test_a_newer_name_would_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "newer.py").write_text("from itertools import pairwise\n", "utf-8")

    assert "pairwise" in vermin(tmp_path).stdout
