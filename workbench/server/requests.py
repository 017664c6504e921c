"""What was asked of the server and what became of it: the last requests, for whoever looks at it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from workbench.domain.serving import RequestLine

KEPT = 500


class RequestLog:
    """The newest requests, oldest first; `on_request` is told of each as it was answered and must be quick."""

    def __init__(self, on_request: Callable[[RequestLine], None] | None = None) -> None:
        self._lines: deque[RequestLine] = deque(maxlen=KEPT)
        self._on_request = on_request

    def add(self, line: RequestLine) -> None:
        self._lines.append(line)
        if self._on_request is not None:
            self._on_request(line)

    def lines(self) -> Sequence[RequestLine]:
        return tuple(self._lines)
