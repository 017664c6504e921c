"""An archive may be anything: what is wrong with it is said in words, and nothing of it is taken in."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.app.handed_histories import members_of, put_bench_call, put_history
from tests.app.test_handover import opened_at
from workbench.app import Workbench
from workbench.app.handover.archive_reading import Archive, ArchiveRefused
from workbench.app.handover.checking import Checker, Contents, refuse_too_large
from workbench.app.handover.pace import Pace
from workbench.base.ids import ThreadId

Members = dict[str, bytes]
Change = Callable[[Members], object]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What was exported of a history."""
    folder = tmp_path_factory.mktemp("exported")

    async def export() -> bytes:
        async with opened_at(folder, "from") as wb:
            parent, _ = await put_history(wb.store)
            await wb.handover.export_threads([parent.id], folder / "x.zip")
        return (folder / "x.zip").read_bytes()

    return asyncio.run(export())


@pytest.fixture
def archive(tmp_path: Path, exported: bytes) -> Path:
    """A file of this test's own."""
    file = tmp_path / "x.zip"
    file.write_bytes(exported)
    return file


@pytest.fixture
async def wb(tmp_path: Path) -> AsyncIterator[Workbench]:
    async with opened_at(tmp_path, "to") as wb:
        yield wb


def checked(archive: Path) -> Contents:
    """What is in an archive, all of which was looked at."""

    async def check() -> Contents:
        with Archive(archive) as opened:
            return Checker(opened, Pace(None)).check()

    return asyncio.run(check())


def rewritten(archive: Path, change: Change, *, honest: bool = True) -> Path:
    """The archive with changed members; an honest one has a manifest that tells of them."""
    with ZipFile(archive) as read:
        members = {name: read.read(name) for name in read.namelist()}
    change(members)
    if honest and "manifest.json" in members:
        manifest = json.loads(members["manifest.json"])
        manifest["members"] = {
            name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in members.items()
            if name != "manifest.json"
        }
        for name, data in members.items():
            if name.endswith(".jsonl"):
                manifest["counts"][name.removesuffix(".jsonl")] = len(data.splitlines())
        members["manifest.json"] = json.dumps(manifest).encode()
    changed = archive.with_name("changed.zip")
    with ZipFile(changed, "w", ZIP_DEFLATED) as written:
        for name, data in members.items():
            written.writestr(name, data)
    return changed


def manifest(**changes: object) -> Change:
    """Changes fields of the manifest."""

    def change(members: Members) -> None:
        members["manifest.json"] = json.dumps({**json.loads(members["manifest.json"]), **changes}).encode()

    return change


def row(kind: str, at: int = 0, /, **changes: object) -> Change:
    """Changes fields of one line."""

    def change(members: Members) -> None:
        lines = members[f"{kind}.jsonl"].splitlines()
        lines[at] = json.dumps({**json.loads(lines[at]), **changes}).encode()
        members[f"{kind}.jsonl"] = b"\n".join(lines) + b"\n"

    return change


def twice(kind: str) -> Change:
    """The first line of a kind stands in it a second time."""

    def change(members: Members) -> None:
        data = members[f"{kind}.jsonl"]
        members[f"{kind}.jsonl"] = data + data.splitlines(keepends=True)[0]

    return change


def ids_of(members: Members, kind: str) -> list[str]:
    return [json.loads(line)["id"] for line in members[f"{kind}.jsonl"].splitlines()]


def put(name: str, data: bytes = b"x") -> Change:
    return lambda members: members.__setitem__(name, data)


def nested(levels: int) -> object:
    """A list in lists."""
    deep: object = []
    for _ in range(levels):
        deep = [deep]
    return deep


def drop(name: str) -> Change:
    return lambda members: members.pop(name)


def drop_blob(members: Members) -> None:
    del members[next(name for name in members if name.startswith("blobs/"))]


DISHONEST: Mapping[str, tuple[Change, str]] = {
    "another format": (manifest(format="other"), "no history of Workbench"),
    "no manifest": (drop("manifest.json"), "no history of Workbench"),
    "a manifest that is no JSON": (put("manifest.json", b"{"), "manifest is no JSON"),
    "a manifest that is no object": (put("manifest.json", b"[]"), "manifest is no JSON"),
    "a manifest with other fields": (manifest(counts=3), "manifest is not what it should be"),
    "a newer version": (manifest(version=2, workbench="9.1"), r"a newer Workbench \(9.1\) has written it"),
    "a time that no clock shows": (
        manifest(exportedAt="9999-12-31T23:59:59Z"),
        "exportedAt: Input should be less than",
    ),
    "a version that is none": (manifest(version="x"), "manifest is not what it should be"),
    "a member that climbs out": (put("../../evil"), "'../../evil', which no history has"),
    "an absolute member": (put("/etc/passwd"), "which no history has"),
    "a member of no kind": (put("notes.jsonl"), "which no history has"),
    "a member that is not told of": (put("blobs/" + "a" * 64), "of which its manifest knows nothing"),
    "a member that is missing": (drop("calls.jsonl"), "'calls.jsonl' is missing"),
    "a member that was changed": (
        lambda members: put("values.jsonl", members["values.jsonl"].replace(b"child", b"chile"))(members),
        "'values.jsonl' was changed or damaged",
    ),
    "a member of another size": (put("values.jsonl", b""), "not as large as its manifest says"),
    "a thread that is only told of": (
        manifest(threads=[{"id": "01a22ced-7956-735c-bb8e-3e38d34cfb0b", "agent": "desk"}]),
        "its manifest names a thread that is not in it",
    ),
    "fewer rows than told": (manifest(counts={}), "not as many as its manifest says"),
}

HONEST: Mapping[str, tuple[Change, str]] = {
    "a kind that is missing": (drop("turns.jsonl"), "'turns.jsonl' is missing"),
    "a line that is no JSON": (
        put("values.jsonl", b"{\n"),
        "line 1 of values.jsonl is not what it should be",
    ),
    "a line of many levels": (put("values.jsonl", b"[" * 100_000), "line 1 of values.jsonl"),
    "a field that is unknown": (row("messages", 1, more=1), "line 2 of messages.jsonl"),
    "a thread that is not there": (row("messages", threadId="none"), "belongs to a thread that is not in it"),
    "an id of another kind": (row("threads", 1, id="../x"), "an id that is none of Workbench's"),
    "a thread twice": (twice("threads"), "is there twice"),
    "a message twice": (twice("messages"), "is there twice"),
    "a file twice": (twice("files"), "is there twice"),
    "a turn before the one that it follows": (row("turns", before="x"), "does not come before it"),
    "a request without its turn": (row("requests", turns="x"), "sent something that is not in it"),
    "a request without its parameters": (
        row("requests", parameters="x"),
        "sent something that is not in it",
    ),
    "a file that climbs out": (row("files", path="/../x"), "none of a thread's files"),
    "a file without its bytes": (row("files", sha256="a" * 64), "whose bytes are not in it"),
    "a file of another size": (row("files", size=3), "whose bytes are not in it"),
    "bytes that are gone": (drop_blob, "is not in it|are not in it"),
    "a value that is no JSON": (row("values", jsonText="{"), "is no JSON"),
    "a time of another age": (row("threads", createdAt=10**30), "has a time that is none"),
    "a negative time": (row("calls", startedAt=-1), "has a time that is none"),
    "a bench of an agent": (row("threads", kind="bench"), "belongs to the bench, which has none"),
    "a thread below itself": (
        lambda members: row("threads", parentId=ids_of(members, "threads")[1])(members),
        "one of its threads is below itself",
    ),
    "a call that made itself": (
        lambda members: row("calls", parentCallId=ids_of(members, "calls")[0])(members),
        "one of its calls is below itself",
    ),
    "a line in another encoding": (
        lambda members: put("values.jsonl", members["values.jsonl"].decode().encode("utf-16-be"))(members),
        "line 1 of values.jsonl is not what it should be",
    ),
    "a second bench": (
        lambda members: [row("threads", at, kind="bench")(members) for at in (0, 1)],
        "is a second bench",
    ),
}


@pytest.mark.rule("T24")
@pytest.mark.parametrize(("change", "words"), DISHONEST.values(), ids=DISHONEST)
def test_an_archive_that_its_manifest_does_not_tell_of_is_refused_in_words(
    archive: Path, change: Change, words: str
) -> None:
    with pytest.raises(ArchiveRefused, match=words) as refused:
        checked(rewritten(archive, change, honest=False))

    assert refused.value.message.startswith("changed.zip cannot be imported: ")
    assert refused.value.hint


@pytest.mark.rule("T24")
@pytest.mark.parametrize(("change", "words"), HONEST.values(), ids=HONEST)
def test_an_archive_whose_rows_do_not_fit_is_refused_in_words(
    archive: Path, change: Change, words: str
) -> None:
    with pytest.raises(ArchiveRefused, match=words) as refused:
        checked(rewritten(archive, change))

    assert refused.value.message.startswith("changed.zip cannot be imported: ")


@pytest.mark.rule("T24")
async def test_an_archive_that_cannot_be_kept_leaves_nothing(archive: Path, wb: Workbench) -> None:
    for change, words in (
        (row("messages", depth=10**30), "something in it cannot be kept"),
        (row("variables", name="\ud800"), "something in it cannot be kept"),
        (row("files", size=3), "whose bytes are not in it"),
        *(
            (row("messages", metadata={"deep": nested(levels)}), "changed.zip cannot")
            for levels in (300, 900)
        ),
    ):
        with pytest.raises(ArchiveRefused, match=words):
            await wb.handover.import_file(rewritten(archive, change))

    assert (await wb.threads.page()).rows == ()
    assert (await wb.calls()).rows == ()
    assert len((await wb.handover.import_file(archive)).all_threads) == 2


@pytest.mark.rule("T24")
async def test_no_row_takes_the_place_of_one_that_is_here_however_its_id_is_spelled(
    archive: Path, wb: Workbench
) -> None:
    (thread_id,) = (await wb.handover.import_file(archive)).threads
    before = members_of(await exported_again(wb, thread_id, archive))

    def escaped(members: Members) -> None:
        for name in (name for name in members if name.endswith(".jsonl")):
            members[name] = re.sub(
                rb"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=_)[0-9a-f]{32}",
                lambda found: b"".join(rb"\u%04x" % code for code in found[0]),
                members[name],
            )

    taken = await wb.handover.import_file(rewritten(archive, escaped))

    assert taken.renamed
    assert members_of(await exported_again(wb, thread_id, archive)) == before


@pytest.mark.rule("T24")
async def test_what_came_refers_to_nothing_that_was_here_before(archive: Path, wb: Workbench) -> None:
    own = await put_bench_call(wb.store)
    before = await wb.store.events(own.thread_id, call_id=own.id), await wb.call(own.id)

    def stranger(members: Members) -> None:
        lines = [json.loads(line) for line in members["events.jsonl"].splitlines()]
        of_a_call = next(at for at, line in enumerate(lines) if "callId" in line["event"])
        row("events", of_a_call, event={**lines[of_a_call]["event"], "callId": own.id})(members)
        row("calls", resultMessageId=own.result_message_id, parentCallId=own.id)(members)

    (thread_id,) = (await wb.handover.import_file(rewritten(archive, stranger))).threads
    everything = b"".join(members_of(await exported_again(wb, thread_id, archive)).values())

    assert own.id.encode() not in everything
    assert str(own.result_message_id).encode() not in everything
    await wb.threads.delete(thread_id)
    assert (await wb.store.events(own.thread_id, call_id=own.id), await wb.call(own.id)) == before


async def exported_again(wb: Workbench, thread_id: ThreadId, archive: Path) -> Path:
    file = archive.with_name("again.zip")
    await wb.handover.export_threads([thread_id], file, force=True)
    return file


@pytest.mark.rule("T24")
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_refused(archive: Path) -> None:
    with ZipFile(archive, "a") as more:
        more.writestr("values.jsonl", b"")

    with pytest.raises(ArchiveRefused, match=r"'values.jsonl' twice"):
        checked(archive)


@pytest.mark.rule("T24")
def test_what_is_packed_in_another_way_is_refused(archive: Path) -> None:
    with ZipFile(archive) as read:
        members = {name: read.read(name) for name in read.namelist()}
    with ZipFile(archive, "w", ZIP_BZIP2) as written:
        for name, data in members.items():
            written.writestr(name, data)

    with pytest.raises(ArchiveRefused, match="compressed in a way"):
        checked(archive)


@pytest.mark.rule("T24")
def test_what_unpacks_to_more_than_there_is_room_for_is_refused(archive: Path) -> None:
    with Archive(archive) as opened, pytest.raises(ArchiveRefused, match=r"needs 0.0 GB of the disk"):
        refuse_too_large(opened, free=10)


@pytest.mark.rule("T24")
def test_members_that_lie_over_one_another_are_refused(archive: Path) -> None:
    data = archive.read_bytes()
    with ZipFile(archive) as read:
        large = max(read.infolist(), key=lambda info: info.compress_size)
    # The table of contents claims that one member takes more of the file than there is.
    at = data.rindex(large.filename.encode()) - 46
    claimed = data[: at + 20] + (len(data) * 2).to_bytes(4, "little") + data[at + 24 :]
    archive.write_bytes(claimed)

    with pytest.raises(ArchiveRefused, match="lie over one another"):
        checked(archive)


@pytest.mark.rule("T24")
def test_a_file_that_was_cut_off_is_refused_wherever_it_ends(archive: Path) -> None:
    data = archive.read_bytes()
    for end in range(0, len(data), max(1, len(data) // 40)):
        archive.write_bytes(data[:end])
        with pytest.raises(ArchiveRefused, match="it is no whole zip file"):
            checked(archive)


@pytest.mark.rule("T24")
def test_a_file_that_is_none_or_another_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArchiveRefused, match="cannot be read: No such file"):
        checked(tmp_path / "none.zip")
    with pytest.raises(ArchiveRefused, match="cannot be read: Is a directory"):
        checked(tmp_path)


@pytest.mark.rule("T24")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200))
def test_any_bytes_are_refused_in_words(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "any.zip"
    file.write_bytes(data)

    with pytest.raises(ArchiveRefused):
        Archive(file)


@pytest.mark.rule("T24")
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.floats(0, 1, exclude_max=True), byte=st.integers(1, 255), end=st.booleans())
def test_an_archive_with_any_byte_changed_is_read_or_refused_in_words(
    archive: Path, at: float, byte: int, end: bool
) -> None:
    data = bytearray(archive.read_bytes())
    place = int(at * len(data))
    if end:  # in the table of contents, where a byte says most
        place = len(data) - 1 - int(at * 1_500)
    data[place] ^= byte
    file = archive.with_name("touched.zip")
    file.write_bytes(data)

    with suppress(ArchiveRefused):  # which has words, unlike anything else
        checked(file)


@pytest.mark.rule("T24")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(["threads", "messages", "calls", "events", "files", "turns"]),
    line=st.text(max_size=80),
)
def test_any_line_is_read_or_refused_in_words(archive: Path, kind: str, line: str) -> None:
    changed = rewritten(archive, put(f"{kind}.jsonl", line.encode("utf-8", "replace")))

    if line.encode("utf-8", "replace"):
        with pytest.raises(ArchiveRefused):
            checked(changed)


@pytest.mark.rule("T24")
@pytest.mark.parametrize("milliseconds", [0, 1, 3, 6, 12, 25])
async def test_an_import_that_is_stopped_at_any_moment_leaves_all_or_nothing(
    archive: Path, wb: Workbench, milliseconds: int
) -> None:
    stopped = asyncio.ensure_future(wb.handover.import_file(archive))
    asyncio.get_running_loop().call_later(milliseconds / 1000, stopped.cancel)
    with suppress(asyncio.CancelledError):
        await stopped

    threads, calls = (await wb.threads.page()).rows, (await wb.calls()).rows
    assert (len(threads), len(calls)) in ((0, 0), (2, 2))
    assert stopped.cancelled() or threads
    again = await wb.handover.import_file(archive)
    assert again.renamed is bool(threads)
