"""JSON of any size read as an outline: values stay in their text, and members are found when they are looked at.

Nothing is parsed whole. One pass, which may run beside the window, notes where big containers end and where each
500th member of them begins; everything small is read again when it is shown.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable
from itertools import islice, takewhile
from typing import NamedTuple

from workbench.app.results.json_reading import BIG, DECODER, KINDS, WINDOW, JsonReading, Kind, Member

PAGE = 500
"""Members of a container that are read at once."""
_STEPS = 256
"""Members between two looks at whether to stop."""
_SEEN = 200
_COMMA = re.compile(r"[ \t\n\r]*+,[ \t\n\r]*+")
_SCALARS = re.compile(r"(?:[-+.\w]{1,64}+[ \t\n\r]*+,[ \t\n\r]*+){1,500}+")


class Page(NamedTuple):
    """Members from number `first` on, and whether more follow them."""

    first: int
    members: list[Member]
    more: bool


class _Open:
    """A container that the pass is in."""

    __slots__ = ("count", "kind", "marks", "start")

    def __init__(self, start: int, kind: Kind) -> None:
        self.start = start
        self.kind = kind
        self.count = 0
        self.marks = array("q")


class Outline(JsonReading):
    """The outline of one JSON text. Raises JsonError where the text turns out not to be JSON."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._counts: dict[int, int] = {}
        self._marks: dict[int, array[int]] = {}

    def root(self) -> Member:
        """The value itself, under the key ""."""
        start = self._space(0)
        return self._member("", start)

    def scan(self, stop: Callable[[], bool]) -> None:
        """The pass over the whole text; it ends early when `stop` says so."""
        at = self._space(0)
        opened: list[_Open] = []
        at = self._step(at, opened)
        steps = 0
        while opened:
            steps += 1
            if steps % _STEPS == 0 and stop():
                return
            at = self._next(at, opened)
        if self._space(at) < len(self.text):
            raise self._wrong(self._space(at))
        self.complete = True

    def _next(self, at: int, opened: list[_Open]) -> int:
        """One step inside the innermost container: over a member, into it, or out at the end."""
        inside = opened[-1]
        at = self._space(at)
        sign = self.text[at : at + 1]
        if sign == ("}" if inside.kind is Kind.OBJECT else "]"):
            self._close(opened.pop(), at + 1)
            return at + 1
        if sign == ",":
            at = self._space(at + 1)
        elif inside.count:
            raise self._wrong(at)
        inside.count += 1
        if inside.count % PAGE == 1 and inside.count > 1:
            inside.marks.append(at)
        if inside.kind is Kind.OBJECT:
            return self._step(self._after_key(at), opened)
        return self._scalars(at, inside) or self._containers(at, inside) or self._step(at, opened)

    def _scalars(self, at: int, inside: _Open) -> int:
        """Step over numbers and words at once, as far as the next page begins; 0 when there are none."""
        left = (-inside.count) % PAGE
        if not left:
            return 0
        found = _SCALARS.match(self.text, at)
        if found is None:
            return 0
        commas = self.text.count(",", at, found.end())
        end = found.end()
        if commas > left:
            end = at
            for _ in range(left):
                end = self.text.find(",", end) + 1
            commas = left
        inside.count += commas - 1
        return self.text.rindex(",", at, end)

    def _containers(self, at: int, inside: _Open) -> int:
        """Step over containers that follow each other, as far as the next page begins; 0 when there are none."""
        base, window = self._window
        if not base <= at < base + len(window):
            base, window = self._window = at, self.text[at : at + WINDOW]
        left = PAGE - (inside.count - 1) % PAGE
        start, end, done = at - base, 0, 0
        try:
            while done < left and window[start] in "[{":
                value, end = DECODER.raw_decode(window, start)
                if end - start >= BIG:
                    self._ends[base + start] = base + end
                    self._counts[base + start] = len(value)
                done += 1
                comma = _COMMA.match(window, end)
                if comma is None:
                    break
                start = comma.end()
        except (ValueError, RecursionError, IndexError):
            pass  # the window ends here, or what does not fit into one begins
        inside.count += max(done - 1, 0)
        return base + end if done else 0

    def _step(self, at: int, opened: list[_Open]) -> int:
        """Step over the value at a place, or enter it when it is too big to be stepped over."""
        sign = self.text[at : at + 1]
        kind = KINDS.get(sign, Kind.NUMBER)
        if not kind.holds:
            return self._member("", at).end
        end, count = self._small(at)
        if end < 0:
            opened.append(_Open(at, kind))
            return at + 1
        if end - at >= BIG:
            self._ends[at] = end
            self._counts[at] = count
        return end

    def _close(self, container: _Open, end: int) -> None:
        self._counts[container.start] = container.count
        if container.marks:
            self._marks[container.start] = container.marks
        self._ends[container.start] = end

    def count(self, member: Member) -> int | None:
        """How many members a container has; None while that takes a look at the whole of it."""
        known = self._counts.get(member.start)
        if known is None and 0 <= member.end - member.start <= WINDOW:
            known = self._small(member.start)[1]
            self._counts[member.start] = known
        return known

    def page(self, member: Member, first: int = 0) -> Page:
        """The members of a container from number `first` to the end of its page of 500.

        While the pass still runs, the page may end before a member whose end is not known yet, and pages after the
        first may be empty.
        """
        marks = self._marks.get(member.start, ())
        number = first // PAGE
        if number > len(marks) and (marks or not 0 <= member.end - member.start <= WINDOW):
            return Page(first, [], more=not self.complete)
        base = number if number <= len(marks) else 0  # what fits into a window has no marks
        at = marks[base - 1] if base else member.start + 1
        found = self._members(member.kind, at, base * PAGE)
        members = list(islice(found, first - base * PAGE, (number - base + 1) * PAGE))
        count = self.count(member)
        more = (count if count is not None else first + len(members) + 1) > first + len(members)
        return Page(first, members, more)

    def page_at(self, member: Member, offset: int) -> int:
        """The number of the first member of the page that a place in the text lies on."""
        marks = self._marks.get(member.start)
        if marks is not None or not 0 <= member.end - member.start <= WINDOW:
            return bisect_right(marks or (), offset) * PAGE
        before = takewhile(lambda one: one.end <= offset, self._members(member.kind, member.start + 1, 0))
        return sum(1 for _ in before) // PAGE * PAGE

    def again(self, member: Member) -> Member:
        """A member as it is known by now."""
        return self._member(member.key, member.start)

    def key_start(self, member: Member) -> int:
        """Where the key of an object's member begins; in an array where the value does."""
        if isinstance(member.key, int):
            return member.start
        closing = self.text.rfind('"', 0, member.start)
        opening = closing - 1
        while True:
            opening = self.text.rfind('"', 0, opening)
            before = opening - 1
            while before >= 0 and self.text[before] == "\\":
                before -= 1
            if (opening - before) % 2:
                return opening

    def value_text(self, member: Member) -> str:
        """A value as it stands in the text."""
        return self.text[member.start : member.end if member.end >= 0 else len(self.text)]

    def shown(self, member: Member, most: int = _SEEN) -> str:
        """A scalar fit for one row: a string without its quotes' escapes resolved, numbers with their digits."""
        end = member.end if member.end >= 0 else len(self.text)
        if end - member.start <= most:
            return self.text[member.start : end]
        return self.text[member.start : member.start + most] + "…"

    def string(self, member: Member) -> str:
        """The value of a string, its escapes resolved."""
        return self._decoded(member.start, member.end)


def subscript(path: tuple[str | int, ...], name: str = "result") -> str:
    """A path as Python reads it: `result["items"][0]`."""
    return name + "".join(f"[{key}]" if isinstance(key, int) else f"[{_quoted(key)}]" for key in path)


def _quoted(key: str) -> str:
    plain = repr(key)
    return '"' + plain[1:-1] + '"' if plain.startswith("'") and '"' not in plain else plain
