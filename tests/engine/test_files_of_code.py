"""The thread's files as code sees them: in pieces, with what is written beside them, found by patterns (D8)."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import pytest

from tests.engine.rig import Rig
from tests.engine.test_made_files import DOT
from workbench.base.exact_json import JsonValue
from workbench.domain.variables import Scope, VariableType
from workbench.domain.writes import WriteFile
from workbench.engine.ports import CallLink, StateError
from workbench.store.blobs import CHUNK_BYTES


async def asked(rig: Rig, *questions: tuple[str, Mapping[str, object]]) -> list[Any]:
    """What a call by hand is answered; a refusal as its words."""
    answers: list[Any] = []

    async def body(link: CallLink, arguments: Mapping[str, JsonValue]) -> object:
        del arguments
        for method, params in questions:
            try:
                answers.append(await link.ask(method, params))
            except StateError as error:
                answers.append(f"{error.type}: {error.message}")
        return "asked"

    rig.host.define("looks", body, schema={"type": "object"})
    await rig.call("looks")
    return answers


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


@pytest.mark.rule("D8")
async def test_a_file_is_read_in_pieces_and_one_that_changes_meanwhile_is_refused(rig: Rig) -> None:
    bench = await rig.engine.bench()
    data = b"0123456789" * (CHUNK_BYTES // 5)  # two pieces and a part of a third
    await rig.store.commit(WriteFile(bench.id, "/big", data + b"end", "text/plain"))
    await rig.store.commit(WriteFile(bench.id, "/empty", b"", "text/plain"))

    pieces = await asked(rig, *(("readFilePart", {"path": "/big", "index": at}) for at in range(3)))
    version = pieces[0]["version"]
    assert b"".join(base64.b64decode(piece["data"]) for piece in pieces) == data + b"end"
    assert [(piece["index"], piece["count"], piece["version"]) for piece in pieces] == [
        (at, 3, version) for at in range(3)
    ]

    await rig.store.commit(WriteFile(bench.id, "/big", b"other", "text/plain"))
    later = await asked(
        rig,
        ("readFilePart", {"path": "/big", "index": 1, "version": version}),
        ("readFilePart", {"path": "/nothing", "index": 0}),
        ("readFilePart", {"path": "/empty", "index": 0}),
    )
    assert later[:2] == ["RuntimeError: /big was changed while it was read.", None]
    assert (later[2]["count"], later[2]["data"]) == (0, "")


@pytest.mark.rule("D8", "V6")
async def test_what_is_written_beside_a_file_is_kept_with_secrets_hidden(rig: Rig) -> None:
    await rig.variables.set("KEY", "hunter22", Scope.INSTANCE, type=VariableType.SECRET)

    written, small, none, too_big, itself = await asked(
        rig,
        (
            "writeFile",
            {
                "path": "/a.txt",
                "data": text(b"words"),
                "metadata": '{"by":"hunter22"}',
                "thumbnail": text(b"tiny"),
            },
        ),
        ("getFileThumbnail", {"path": "/a.txt"}),
        ("getFileThumbnail", {"path": "/nothing.png"}),
        ("writeFile", {"path": "/b.png", "data": text(DOT), "thumbnail": text(b"x" * 300_000)}),
        ("writeFile", {"path": "/b.png", "data": text(DOT)}),
    )

    assert "hunter22" not in str(written)
    assert list(written["metadata"]) == ["by"]
    assert (small, none) == (text(b"tiny"), None)
    assert too_big == "ValueError: The thumbnail of /b.png is larger than 256 KiB."
    assert (itself["width"], itself["height"]) == (1, 1)
    assert await asked(rig, ("getFileThumbnail", {"path": "/b.png"})) == [text(DOT)]


async def test_files_and_folders_are_found_by_pattern_and_kind(rig: Rig) -> None:
    bench = await rig.engine.bench()
    for path in ("/notes/a.md", "/notes/deep/b.md", "/c.txt"):
        await rig.store.commit(WriteFile(bench.id, path, b"x", "text/plain"))

    found = await asked(
        rig,
        ("findFiles", {"pattern": "*.md"}),
        ("findFiles", {"pattern": "*", "type": "directory"}),
        ("findFiles", {"pattern": "/notes*", "type": "all", "limit": 2}),
        ("findFiles", {"pattern": "*", "type": "link"}),
    )

    assert [[one["path"] for one in answer] for answer in found[:3]] == [
        ["/notes/a.md", "/notes/deep/b.md"],
        ["/notes", "/notes/deep"],
        ["/notes", "/notes/a.md"],
    ]
    assert found[3] == "ValueError: The type of what is found is file, directory or all, not 'link'."
