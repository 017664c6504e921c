"""The pages of a thread's document beside the conversation, in the order of their tabs."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.gui.thread.thread_document import PageOf
from workbench.gui.thread.timeline_view import TimelineView

PAGES: Sequence[PageOf] = (PageOf("Timeline", TimelineView),)
