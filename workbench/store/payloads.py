"""A value as versioned JSON in one row; what is long in it lies apart, as blobs with a preview in its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from pydantic import ValidationError

from workbench.base.errors import BugError, UserError
from workbench.domain.calls import Call
from workbench.domain.events import CallEmitted, CallFinished, CallLogged
from workbench.domain.threads import Message
from workbench.domain.value import Value
from workbench.store.blobs import INLINE_BYTES, Blob

_PREFIX = '{"v":1,"data":'
_KEPT_OF_A_LONG_VALUE = 1_000
_STRUCTURES = {"structuredContent", "content", "toolCalls", "metadata", "arguments", "data"}
"""Fields that may be an object or a list of any size; each may also be empty."""

V = TypeVar("V", bound=Value)
Fetch = Callable[[str], "bytes | None"]
Row = tuple[str, "str | None"]
"""The columns `payload` and `spilled`."""


class Packed(NamedTuple):
    """`payload` goes into the row; `spilled` (JSON, or None) says which places of it are blobs."""

    payload: str
    spilled: str | None = None
    blobs: tuple[Blob, ...] = ()


def pack(value: Value) -> Packed:
    """Make a value's row."""
    if has_long_text(value):
        return _pack_apart(value)
    try:
        payload = value.__pydantic_serializer__.to_json(value, by_alias=True).decode()
    except ValueError:  # half a surrogate pair: JSON can spell it as an escape, UTF-8 cannot
        payload = json.dumps(value.to_json())
    if len(payload) > INLINE_BYTES:
        return _pack_apart(value)
    return Packed(f"{_PREFIX}{payload}}}")


def has_long_text(value: Value) -> bool:
    """Whether a text of the value goes into a blob of its own; to be asked before anything is made of it."""
    texts = _LONG_TEXTS.get(type(value))
    if texts is None:
        return False
    for text in texts(value):  # noqa: SIM110 -- every write comes here twice, and a generator costs more than the rest
        if text is not None and len(text) > INLINE_BYTES:
            return True
    return False


def _texts_of_call(call: Call) -> Sequence[str | None]:
    result = call.result
    if result is None:
        return (call.arguments, call.arguments_run, call.log)
    return (call.arguments, call.arguments_run, call.log, result.text, result.json_text)


_LONG_TEXTS: Mapping[type[Value], Callable[[Any], Sequence[str | None]]] = {
    Call: _texts_of_call,
    Message: lambda message: (message.content,),
    CallLogged: lambda event: (event.text,),
    CallEmitted: lambda event: (event.data,),
    CallFinished: lambda event: (event.result.text, event.result.json_text),
}
"""What tends to be long, by the kind of value."""


def unpack(kind: type[V], row: Row, fetch: Fetch) -> V:
    """The value of a row, whole; `fetch` gives a blob's bytes. Fields that only a newer Workbench knows are left out.

    Raises UserError for a value that this one does not know at all.
    """
    payload, spilled = row
    if spilled is None:
        try:
            return kind.model_validate_json(_current(payload))
        except ValidationError:
            pass  # a newer field, or an escaped half of a surrogate pair, which Python's own parser reads
    data = json.loads(_current(payload)) if spilled is None else _whole(payload, spilled, fetch)
    try:
        return kind.model_validate(data, extra="ignore")
    except ValidationError as error:
        raise UserError(
            "The history holds something that this Workbench cannot read.",
            hint="Update Workbench: a newer one has written it.",
            detail=str(error),
        ) from error


def unpack_json(row: Row, fetch: Fetch) -> str:
    """The value of a row as JSON text."""
    payload, spilled = row
    return _current(payload) if spilled is None else json.dumps(_whole(payload, spilled, fetch))


def _current(payload: str) -> str:
    if not payload.startswith(_PREFIX):
        raise BugError(
            "A row of the store has a form that no migration brought up to date.", detail=payload[:40]
        )
    return payload[len(_PREFIX) : -1]


def _whole(payload: str, spilled: str, fetch: Fetch) -> dict[str, Any]:
    data = cast("dict[str, Any]", json.loads(_current(payload)))
    for place in reversed(json.loads(spilled)):  # what was taken out last holds what was taken out before
        found = fetch(place["blob"])
        if found is not None:  # a repaired store may have lost it; the preview in its place stays
            text = found.decode("utf-8", "surrogatepass")
            _put(data, place["at"], text if place["as"] == "text" else json.loads(text))
    return data


def _pack_apart(value: Value) -> Packed:
    data: dict[str, object] = value.model_dump(by_alias=True)  # shares the long texts instead of copying them
    places: list[dict[str, object]] = []
    blobs: list[Blob] = []

    def spill(at: list[str], form: str, text: str) -> None:
        blob = Blob.of(text.encode("utf-8", "surrogatepass"))
        places.append({"at": at, "as": form, "blob": blob.hash, "size": len(blob.data)})
        blobs.append(blob)

    def walk(node: dict[str, object], at: list[str], leaf: Callable[[list[str], object], object]) -> None:
        for key, item in node.items():
            if isinstance(item, dict) and len(at) < 2:
                walk(cast("dict[str, object]", item), [*at, key], leaf)
            node[key] = leaf([*at, key], node[key])

    def apart(at: list[str], item: object) -> object:
        if isinstance(item, str):
            if len(item) <= limit:
                return item
            spill(at, "text", item)
            return item[:_KEPT_OF_A_LONG_VALUE]
        if limit == INLINE_BYTES or at[-1] not in _STRUCTURES:
            return item
        text = _text_of(item)
        if len(text) <= limit:
            return item
        spill(at, "json", text)
        return {} if isinstance(item, dict) else []

    limit = INLINE_BYTES
    walk(data, [], apart)
    payload = _text_of(data)
    if len(payload) > INLINE_BYTES:  # many middling texts, or structures
        limit = INLINE_BYTES // 4
        walk(data, [], apart)
        payload = _text_of(data)
    return Packed(f"{_PREFIX}{payload}}}", json.dumps(places), tuple(blobs))


def _text_of(item: object) -> str:
    return json.dumps(item, default=str)  # as `Value.to_json` does with what JSON lacks (Decimal)


def _put(data: dict[str, Any], at: Sequence[str], value: object) -> None:
    for key in at[:-1]:
        data = data[key]
    data[at[-1]] = value
