"""What went over a connection and what was said of it, kept in rings of a bounded size for a person to look at."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from itertools import count

from workbench.domain.connections import ConnectionLine, WireMessage

MESSAGES = 500
"""How many messages are kept."""
LINES = 2_000
"""How many lines of the log are kept."""
LONGEST = 32 * 1024
"""Characters of one message, or of one line, that are shown."""
_SPARE = 8 * 1024
"""Characters kept beyond that, so that a secret at the cut is whole when it is looked for (V6)."""

Mask = Callable[[str], str]


class Traffic:
    """The messages and the log of one connection. Secrets are masked when it is read: then most are known."""

    def __init__(self, mask: Mask, told: Callable[[], None]) -> None:
        """`told` is called after every entry and must be quick."""
        self._mask = mask
        self._told = told
        self._messages: deque[WireMessage] = deque(maxlen=MESSAGES)
        self._lines: deque[ConnectionLine] = deque(maxlen=LINES)
        self._numbers = count(1)

    def sent(self, method: str, id: str, text: str) -> None:
        """A message of ours."""
        self._message(method, id, text, is_ours=True)

    def received(self, method: str, id: str, text: str, *, is_error: bool = False) -> None:
        """A message of the server's."""
        self._message(method, id, text, is_error=is_error)

    def _message(
        self, method: str, id: str, text: str, *, is_ours: bool = False, is_error: bool = False
    ) -> None:
        self._messages.append(
            WireMessage(
                number=next(self._numbers),
                at=_now(),
                is_ours=is_ours,
                method=method,
                id=id,
                is_error=is_error,
                size=len(text),
                text=text[: LONGEST + _SPARE],
            )
        )
        self._told()

    def log(self, source: str, text: str) -> None:
        """Lines for the log, an unfinished one at the end taken as whole."""
        for line in text.splitlines():
            self._lines.append(ConnectionLine(at=_now(), source=source, text=line[: LONGEST + _SPARE]))
        self._told()

    def messages(self, since: int = 0) -> tuple[WireMessage, ...]:
        """What is kept of the messages with a number above `since`, oldest first."""
        return tuple(
            message.model_copy(update={"text": self._mask(message.text)[:LONGEST]})
            for message in self._messages
            if message.number > since
        )

    def lines(self) -> tuple[ConnectionLine, ...]:
        """What is kept of the log, oldest first."""
        return tuple(self._masked_lines())

    def _masked_lines(self) -> Iterator[ConnectionLine]:
        """A secret may stand on several lines, so runs of lines from one source are masked together."""
        run: list[ConnectionLine] = []
        for line in (*self._lines, None):
            if run and (line is None or line.source != run[0].source):
                yield from self._masked_run(run)
                run = []
            if line is not None:
                run.append(line)

    def _masked_run(self, run: list[ConnectionLine]) -> Iterator[ConnectionLine]:
        texts = self._mask("\n".join(line.text for line in run)).split("\n")
        if len(texts) != len(
            run
        ):  # a secret of several lines became one mark: the times of its lines are one
            yield from (run[-1].model_copy(update={"text": text[:LONGEST]}) for text in texts)
        else:
            for line, text in zip(run, texts, strict=True):
                yield line.model_copy(update={"text": text[:LONGEST]})


def _now() -> int:
    return time.time_ns() // 1000
