"""How much history is kept is shown, told beforehand, changed in workbench.toml, and never changed in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.projects import OpenProject
from workbench.app import Workbench
from workbench.base.errors import UserError
from workbench.domain.changes import Changes
from workbench.domain.pages import CallFilter
from workbench.project.settings import Retention

pytestmark = pytest.mark.rule("H6")


async def call_often(wb: Workbench, count: int) -> None:
    for number in range(count):
        await wb.call_tool("echo", {"text": f"call {number} " + "x" * 20_000})


async def test_a_bound_is_written_into_the_settings_and_held_to_at_once(
    opened: OpenProject, project: Path
) -> None:
    (project / "workbench.toml").write_text('# ours\nname = "desk"\n')
    async with opened(project) as wb:
        told: list[Changes] = []
        wb.subscribe(on_changes=told.append)
        await call_often(wb, 4)
        tight = Retention(size=1_000_000)

        preview = await wb.history.preview(tight)
        deleted = await wb.history.set_bound(tight)

        assert wb.history.bound == tight
        assert (
            project / "workbench.toml"
        ).read_text() == '# ours\nname = "desk"\n\n[store]\nretention = "1 MB"\n'
        assert preview.calls == deleted == 0
        assert any(changes.settings for changes in told)
    async with opened(project) as wb:
        assert wb.history.bound == tight


async def test_what_a_bound_deletes_is_told_before_and_after(opened: OpenProject, project: Path) -> None:
    async with opened(project) as wb:
        await call_often(wb, 60)
        wide, tight = Retention(days=1), Retention(size=1_000_000)

        assert (await wb.history.preview(wide)).calls == 0
        told = await wb.history.preview(tight)
        deleted = await wb.history.set_bound(tight)

        assert told.calls > 0
        assert not told.exact
        assert 0 < deleted == 60 - await wb.count_calls(CallFilter())


async def test_settings_that_cannot_be_changed_delete_nothing(opened: OpenProject, project: Path) -> None:
    (project / "workbench.toml").write_text("store = {}\n")
    async with opened(project) as wb:
        await call_often(wb, 60)

        with pytest.raises(UserError, match="unusual way"):
            await wb.history.set_bound(Retention(size=1_000_000))

        assert await wb.count_calls(CallFilter()) == 60
        assert (project / "workbench.toml").read_text() == "store = {}\n"
