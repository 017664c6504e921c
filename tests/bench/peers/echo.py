"""The least a call to another process can cost: what comes on stdin goes out on stdout."""

from __future__ import annotations

import os

while data := os.read(0, 65536):
    os.write(1, data)
