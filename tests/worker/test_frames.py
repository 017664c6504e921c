"""The private protocol's frames survive any cut of the stream."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from workbench.worker.frames import BY_FILE, Frame, Splitter, enclose, pack, read_left, unpack

names = st.text(max_size=5).filter(lambda name: name != "parts")
headers = st.dictionaries(names, st.integers() | st.text(), max_size=4)
frames = st.tuples(headers, st.lists(st.binary(max_size=40), max_size=3))


@given(st.lists(frames, max_size=4), st.lists(st.integers(1, 30), min_size=1))
def test_what_is_packed_comes_out_however_it_was_cut(sent: list[Frame], cuts: list[int]) -> None:
    stream = b"".join(enclose(pack(header, parts), "") for header, parts in sent)
    splitter = Splitter()
    received: list[Frame] = []
    position = index = 0
    while position < len(stream):
        cut = cuts[index % len(cuts)]
        for payload, in_file in splitter.feed(stream[position : position + cut]):
            assert not in_file
            received.append(unpack(payload))
        position, index = position + cut, index + 1

    assert [({**header, "parts": None}, parts) for header, parts in received] == [
        ({**header, "parts": None}, parts) for header, parts in sent
    ]


def test_a_big_payload_goes_by_a_private_file_that_is_gone_when_read(tmp_path: Path) -> None:
    big = b"x" * (BY_FILE + 1)

    (name, in_file) = next(Splitter().feed(enclose(pack({"op": "big"}, [big]), str(tmp_path))))

    assert in_file
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    header, parts = unpack(read_left(name, str(tmp_path)))
    assert (cast("str", header["op"]), parts) == ("big", [big])
    assert not list(tmp_path.iterdir())


def test_a_name_that_climbs_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    inside = tmp_path / "big"
    inside.mkdir()
    (tmp_path / "secret").write_bytes(b"outside")
    (inside / "secret").write_bytes(b"inside")

    assert read_left(b"../secret", str(inside)) == b"inside"
