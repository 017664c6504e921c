"""The inputs of a tool's earlier calls, newest first, each once; and the walk through them that loses nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from workbench.base.exact_json import JsonError, dump, parse_object
from workbench.domain.calls import Call
from workbench.domain.pages import CallFilter
from workbench.domain.value import Value
from workbench.engine.ports import Store

MOST = 50
"""Inputs that are offered."""
_PAGE = 50
_LOOKED_AT = 200
"""Calls; a tool that is called with the same input over and over is not searched without end."""

Draft = Mapping[str, object]
"""What was typed into a form, as the form gave it."""


class EarlierInput(Value):
    """What a call was sent. `arguments` is exact JSON text, secrets masked; `created_at` in µs since the epoch."""

    arguments: str
    created_at: int
    is_error: bool = False


async def earlier_inputs(store: Store, tool: str, *, limit: int = MOST) -> tuple[EarlierInput, ...]:
    """What the calls of a tool were sent, newest first, each input once; what was no JSON object is left out."""
    found: dict[str, EarlierInput] = {}
    key: str | None = None
    looked_at = 0
    while looked_at < _LOOKED_AT:
        page = await store.calls(CallFilter(tool=tool), limit=_PAGE, key=key)
        for row in page.rows:
            looked_at += 1
            call = await store.call(row.id)
            text = _sent(call) if call is not None else None
            if text is not None and text not in found:
                found[text] = EarlierInput(arguments=text, created_at=row.created_at, is_error=row.is_error)
                if len(found) == limit:
                    return tuple(found.values())
        key = page.next_key
        if key is None:
            break
    return tuple(found.values())


def _sent(call: Call) -> str | None:
    try:
        return dump(parse_object(call.arguments_run or call.arguments or "{}"))
    except JsonError:
        return None


class Walk:
    """Up and down through earlier inputs, as in a shell: what was in the form at each place is there again.

    Place 0 is what the person was writing; place 1 is the newest input, and so on.
    """

    def __init__(self, inputs: Sequence[EarlierInput], own: str | None) -> None:
        """`own` are the arguments in the form now, exact JSON text: the same input is not offered again."""
        self.inputs = tuple(one for one in inputs if one.arguments != own)
        self._left: dict[int, Draft] = {}
        self.place = 0

    @property
    def own(self) -> Draft | None:
        """What the person was writing; None while that is what the form holds."""
        return self._left.get(0) if self.place else None

    def step(self, by: int, draft: Callable[[], Draft]) -> Draft | EarlierInput | None:
        """Go `by` places back in time; `draft` gives what is left behind.

        Returns what belongs there: a draft to restore, an input to load, or None where the walk ends.
        """
        place = self.place + by
        if not 0 <= place <= len(self.inputs):
            return None
        self._left[self.place] = draft()
        self.place = place
        return self._left[place] if place in self._left else self.inputs[place - 1]
