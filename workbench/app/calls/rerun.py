"""Re-run on save: a tool that was saved and loaded again is called with its last input, beside the result before."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, replace

from workbench.app.results.differences import TextDifference, compare_texts
from workbench.app.workbench import Workbench
from workbench.base.exact_json import JsonError, dump, parse
from workbench.base.ids import CallId
from workbench.domain.calls import Call, CallState, Origin
from workbench.domain.changes import Changes
from workbench.domain.pages import CallFilter
from workbench.engine.bus import Unsubscribe

QUIET_SECONDS = 0.15
"""A save is followed by a run once nothing more changed for this long."""
_LAID_OUT = 1_000_000
_ENDED = (CallState.SUCCEEDED, CallState.FAILED)
_ASKED_FOR = tuple(origin for origin in Origin if origin not in (Origin.INVOKE, Origin.QUEUE))


@dataclass(frozen=True, slots=True)
class Rerun:
    """What there is to show. `running` is the call under way; `why_not` says why none ran, "" when there is no reason.

    `difference` is that of the two results as text, None when one of them is missing or was stopped.
    """

    on: bool = False
    running: CallId | None = None
    before: Call | None = None
    now: Call | None = None
    difference: TextDifference | None = None
    why_not: str = ""


class RerunOnSave:
    """The switch of one tool. Lives in the engine's loop; `close` ends it."""

    def __init__(self, workbench: Workbench, tool: str) -> None:
        self.view = Rerun()
        self._workbench = workbench
        self._tool = tool
        self._news = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        self._turn = 0
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[object]] = set()
        self._unsubscribe: Unsubscribe | None = None

    async def changed(self, since: Rerun) -> Rerun:
        """The view, as soon as it is another than `since`."""
        while self.view is since:
            self._news.clear()
            await self._news.wait()
        return self.view

    async def switch(self, *, on: bool) -> None:
        """Follow saves from now on, or no more; a run under way is then stopped."""
        self._supersede()
        if on and self._unsubscribe is None:
            self._unsubscribe = self._workbench.subscribe(on_changes=self._on_changes)
        before = await self._last_call() if on else self.view.before
        self._show(replace(self.view, on=on, before=before, why_not="" if before or not on else _NO_INPUT))

    async def close(self) -> None:
        """Follow nothing any more, and let what was begun end."""
        self.view = replace(self.view, on=False)
        self._supersede()
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        await asyncio.gather(*self._tasks)

    def _show(self, view: Rerun) -> None:
        self.view = view
        self._news.set()

    def _on_changes(self, changes: Changes) -> None:
        if self.view.on and self._tool in changes.definitions:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._begin)

    def _begin(self) -> None:
        self._supersede()
        self._do(self._run(self._turn))

    def _supersede(self) -> None:
        """What is under way is about an older state of the file."""
        self._turn += 1
        if self._timer is not None:
            self._timer.cancel()
        if self.view.running is not None:
            self._do(self._workbench.stop_call(self.view.running))

    def _do(self, work: Coroutine[object, object, object]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, turn: int) -> None:
        async with self._one_at_a_time:
            before = await self._last_call()
            why_not = self._why_not(before)
            if turn != self._turn or why_not is None:
                return
            if before is None or why_not:
                self._show(replace(self.view, before=before, now=None, difference=None, why_not=why_not))
                return
            call_id = await self._workbench.start_call(
                self._tool,
                (before.arguments_run or before.arguments).encode(),
                origin=Origin.FORM,
                person_attached=True,
            )
            self._show(Rerun(on=self.view.on, running=call_id, before=before))
            if turn != self._turn:
                await self._workbench.stop_call(call_id)
            now = await self._workbench.wait_call(call_id)
            difference = None
            if now.state in _ENDED:
                difference = await asyncio.to_thread(compare_texts, result_text(before), result_text(now))
            if turn == self._turn:
                self._show(Rerun(on=self.view.on, before=before, now=now, difference=difference))
            else:
                self._show(replace(self.view, running=None))

    async def _last_call(self) -> Call | None:
        """The newest call of the tool that somebody asked for and that ended by itself."""
        wanted = CallFilter(tool=self._tool, states=_ENDED, origins=_ASKED_FOR)
        page = await self._workbench.calls(wanted, limit=1)
        return await self._workbench.call(page.rows[0].id) if page.rows else None

    def _why_not(self, before: Call | None) -> str | None:
        """Why the tool is not run, "" when it is; None while it still loads."""
        listing = next((one for one in self._workbench.listings() if one.name == self._tool), None)
        if listing is None:
            return f"{self._tool} is not there any more."
        if not listing.callable:
            problem = next(iter(listing.diagnostics), None)
            return f"{self._tool} did not load: {problem.message}" if problem else None
        return "" if before else _NO_INPUT


_NO_INPUT = "It has not been run yet. Run it once; its input is used from then on."


def result_text(call: Call) -> str:
    """The result of a call as text to compare: JSON laid out, numbers as they were."""
    result = call.result
    if result is None:
        return ""
    if result.json_text is not None and len(result.json_text) <= _LAID_OUT:
        try:
            return dump(parse(result.json_text), indent=2)
        except JsonError:
            return result.json_text
    return result.json_text or result.text
