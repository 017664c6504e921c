"""A history as one page: whole, escaped, with nothing to run or to load."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.app.handed_histories import (
    AT,
    PNG,
    agents_thread,
    ended_call,
    picture,
    put_bench_call,
    put_history,
)
from tests.app.test_handover import opened_at
from workbench.app.handover.page import LARGEST_FILE, LARGEST_PICTURE
from workbench.app.handover.page_parts import LONGEST_TEXT
from workbench.base.ids import MessageId, ThreadId, uuid7
from workbench.domain.calls import AttachmentRef, FailureKind, ToolFailure, ToolResult
from workbench.domain.threads import ForkedFrom, Imported, Message, ReplayMode, Role, SentCall, ThreadStatus
from workbench.domain.writes import PutCall, PutMessage, PutThread, WriteFile

VOID = {"meta", "img"}
EVIL = "</pre></style><script>alert(1)</script><img src=http://x onerror=alert(2)>\"'&\x00\u202e"


class Page(HTMLParser):
    """Reads a page and holds it to closing what it opens."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


async def page_of(folder: Path, *texts: str) -> Page:
    """The page of a thread with these messages of its person."""
    async with opened_at(folder, "a") as wb:
        thread = agents_thread()
        await wb.store.commit(PutThread(thread), *(PutMessage(message(thread.id, text)) for text in texts))
        await wb.handover.export_threads([thread.id], folder / "x.html")
    return Page((folder / "x.html").read_text("utf-8"))


@pytest.mark.rule("T23")
async def test_a_page_tells_a_fork_and_a_replay_from_what_they_came_of(tmp_path: Path) -> None:
    file = tmp_path / "x.html"
    async with opened_at(tmp_path, "a") as wb:
        origin = agents_thread()
        fork = agents_thread(forked_from=ForkedFrom(thread_id=origin.id))
        replay = agents_thread(forked_from=fork.forked_from, replay=ReplayMode())
        await wb.store.commit(*(PutThread(one) for one in (origin, fork, replay)))
        await wb.handover.export_threads([origin.id, fork.id, replay.id], file)
    words = Page(file.read_text("utf-8")).words

    assert words.count(f"forked from {origin.id}") == 1
    assert words.count(f"a replay of {origin.id}") == 1


@pytest.mark.rule("T23")
async def test_a_page_tells_whose_turn_it_is_and_where_a_history_came_from(tmp_path: Path) -> None:
    thread = agents_thread(
        status=ThreadStatus.AWAITING_HUMAN, imported=Imported(at=AT, project="tubes & <boxes>")
    )
    async with opened_at(tmp_path, "a") as wb:
        await wb.store.commit(PutThread(thread))
        await wb.handover.export_threads([thread.id], tmp_path / "x.html")
    words = Page((tmp_path / "x.html").read_text("utf-8")).words

    assert " · your turn · " in words
    assert " · imported from tubes & <boxes> " in words


def message(thread_id: ThreadId, content: str, role: Role = Role.USER, **more: object) -> Message:
    known = {"id": MessageId(uuid7()), "thread_id": thread_id, "role": role, "created_at": AT}
    return Message.model_validate({**known, "content": content, **more})


@pytest.mark.rule("T23")
async def test_a_page_shows_a_conversation_with_its_calls_folded_and_leads_to_the_threads_below(
    tmp_path: Path,
) -> None:
    async with opened_at(tmp_path, "a") as wb:
        parent, child = await put_history(wb.store)
        await wb.handover.export_threads([parent.id], tmp_path / "x.html")
    page = Page((tmp_path / "x.html").read_text("utf-8"))

    assert page.all("title") == [{}]
    assert "Tubes (desk)" in page.words
    assert page.words.index("What is a tube?") < page.words.index("A round box.")
    assert [one["class"] for one in page.all("details")] == ["call", "call"]
    assert [one["id"] for one in page.all("section")] == [f"thread-{parent.id}", f"thread-{child.id}"]
    assert [one["href"] for one in page.all("a")].count(f"#thread-{child.id}") == 2
    assert page.words.count(f"reference: {child.id}") == 1  # with its call, not once more as a message
    assert page.all("img")[0]["src"] == "data:image/png;base64," + base64.b64encode(PNG).decode()
    assert page.all("time")[1]["datetime"] == "2025-06-15T15:06:40Z"


@pytest.mark.rule("T23")
async def test_a_page_can_run_and_load_nothing(tmp_path: Path) -> None:
    page = await page_of(tmp_path, "Hello.")

    text = (tmp_path / "x.html").read_text("utf-8")
    (policy,) = [
        one["content"] for one in page.all("meta") if one.get("http-equiv") == "Content-Security-Policy"
    ]
    style = text[text.index("<style>") + len("<style>") : text.index("</style>")]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy.split("; ") == [
        "default-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "img-src data:",
        f"style-src 'sha256-{digest}'",
    ]
    assert page.all("script") == []
    assert page.all("link") == []
    assert not [tag for tag, attributes in page.tags if "style" in attributes]
    assert not re.search(r"https?://", text)
    assert "url(" not in style
    assert "prefers-color-scheme:dark" in style
    assert "@media print" in style


TAGS = {
    *["html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "p", "main", "section"],
    *[
        "article",
        "div",
        "span",
        "time",
        "details",
        "summary",
        "code",
        "pre",
        "ul",
        "li",
        "a",
        "img",
        "footer",
    ],
}
"""What a page is made of."""


@pytest.mark.rule("T23")
async def test_nothing_that_was_said_is_taken_for_the_page_itself(tmp_path: Path) -> None:
    async with opened_at(tmp_path, "a") as wb:
        thread = agents_thread(EVIL, name=EVIL, tags=(EVIL,), status_text=EVIL)
        failure = ToolFailure(kind=FailureKind.TOOL_ERROR, message=EVIL, hint=EVIL, stack=EVIL)
        call = ended_call(
            thread.id, EVIL, arguments=EVIL, log=EVIL, result=ToolResult(text=EVIL, failure=failure)
        )
        attached = AttachmentRef(id="x", path="/evil", name=EVIL, mime_type=EVIL, size=3)
        picture_of_evil = attached.model_copy(update={"mime_type": "image/svg+xml"})
        sent = (
            SentCall(id=call.id, name=EVIL, arguments=EVIL),
            SentCall(id=call.id.replace("tool_", "call_"), name=EVIL, arguments=EVIL),  # pyright: ignore[reportArgumentType]
        )
        await wb.store.commit(
            PutThread(thread),
            PutMessage(message(thread.id, EVIL, name=EVIL, attachments=(attached, picture_of_evil))),
            PutMessage(message(thread.id, EVIL, Role.ASSISTANT, prompt=EVIL, tool_calls=sent, silent=True)),
            PutCall(call),
            WriteFile(thread.id, "/evil", b"<script>", "text/html"),
        )
        await wb.handover.export_threads([thread.id], tmp_path / "x.html")
    page = Page((tmp_path / "x.html").read_text("utf-8"))

    assert page.all("script") == []
    assert {tag for tag, _ in page.tags} <= TAGS
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert [one["src"][:26] for one in page.all("img")] == ["data:image/svg+xml;base64,"]
    assert [one["href"][:37] for one in page.all("a")] == ["data:application/octet-stream;base64,"]
    assert "alert(1)" in page.words
    assert "\x00" not in (tmp_path / "x.html").read_text("utf-8")


@pytest.mark.rule("T23")
async def test_what_is_too_large_for_a_page_is_named_with_its_size(tmp_path: Path) -> None:
    async with opened_at(tmp_path, "a") as wb:
        thread = agents_thread()
        refs = tuple(
            AttachmentRef(id=name, path=f"/{name}", name=name, mime_type=kind, size=size)
            for name, kind, size in (
                ("large.png", "image/png", LARGEST_PICTURE + 1),
                ("large.txt", "text/plain", LARGEST_FILE + 1),
                ("small.txt", "text/plain", 3),
                ("gone.txt", "text/plain", 3),
            )
        )
        await wb.store.commit(
            PutThread(thread),
            PutMessage(message(thread.id, "x" * (LONGEST_TEXT + 7), attachments=refs)),
            *(WriteFile(thread.id, one.path, b"x" * one.size, one.mime_type) for one in refs[:3]),
        )
        await wb.handover.export_threads([thread.id], tmp_path / "x.html")
    page = Page((tmp_path / "x.html").read_text("utf-8"))

    assert "large.png (image/png, 2.1 MB), not in this page" in page.words
    assert "large.txt (text/plain, 524.3 kB), not in this page" in page.words
    assert "gone.txt (text/plain, 3 bytes), not in this page" in page.words
    assert [one["download"] for one in page.all("a")] == ["small.txt"]
    assert "… 7 more characters" in page.words


@pytest.mark.rule("T23")
async def test_calls_by_hand_make_a_page_of_their_own(tmp_path: Path) -> None:
    async with opened_at(tmp_path, "a") as wb:
        call = await put_bench_call(wb.store, nested=True)
        await wb.handover.export_calls([call.id], tmp_path / "x.html")
    page = Page((tmp_path / "x.html").read_text("utf-8"))

    assert "2 calls" in page.words
    assert len(page.all("details")) == 2
    assert page.all("img")[0]["alt"] == picture().name
    assert call.id in page.words


@pytest.mark.rule("T23")
async def test_half_a_character_spoils_no_page(tmp_path: Path) -> None:
    page = await page_of(tmp_path, "half \ud83d of it, and right-to-left שלום")

    assert "half \ufffd of it, and right-to-left שלום" in page.words
    assert {one.get("dir") for one in page.all("div") if one.get("class") == "text"} == {"auto"}
