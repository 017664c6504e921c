"""Secrets are masked once more in what leaves the project or comes into it, in whatever field they stand (V6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any, Literal, NewType, TypeVar, cast, get_args, get_origin

from workbench.base.masker import Masker
from workbench.domain.value import Value

V = TypeVar("V", bound=Value)

_EXACT = frozenset(
    {"id", "provider_id", "turn_id", "definition", "version", "hash", "before", "sha256", "thumbnail"}
    | {"turns", "parameters"}
)
"""Texts that refer to something: one of them may hold the digits of a secret by chance."""


def masked(value: V, masker: Masker) -> V:
    """The value without any secret in a text of it; the same object when there is none.

    Times, sizes and ids stay as they are: they are no words of anybody's.
    """
    return cast("V", _masked(value, masker)) if masker else value


def masked_bytes(parts: Iterable[bytes], masker: Masker) -> Iterator[bytes]:
    """Bytes of any length, some at a time, without a secret in them wherever they are cut."""
    held = b""
    for part in parts:
        shown, held = masker.mask_ready_bytes(held + part if held else part)
        yield shown
    if held:
        yield masker.mask_bytes(held)


def _masked(item: object, masker: Masker) -> object:
    match item:
        case Value():
            return _masked_value(item, masker)
        case Enum():
            return item
        case str():
            return masker.mask_json_text(item) if item.startswith(("{", "[")) else masker.mask(item)
        case bytes():
            return masker.mask_bytes(item)
        case Mapping():
            return masker.mask_json(cast("Mapping[str, object]", item))
        case tuple():
            items = cast("tuple[object, ...]", item)
            new = tuple(_masked(one, masker) for one in items)
            return new if any(a is not b for a, b in zip(items, new, strict=True)) else items
        case _:
            return item


def _masked_value(value: Value, masker: Masker) -> Value:
    changed: dict[str, object] = {}
    for name in _worded(type(value)):
        old: object = getattr(value, name)
        if isinstance(old, str) and name in _EXACT:
            continue
        new = _masked(old, masker)
        if new is not old:
            changed[name] = new
    return value.model_copy(update=changed) if changed else value


@cache
def _worded(kind: type[Value]) -> tuple[str, ...]:
    """The fields in which anybody's words may stand."""
    return tuple(name for name, field in kind.model_fields.items() if not _refers(field.annotation))


def _refers(annotation: Any) -> bool:
    """Whether a field holds an id, or one of a few words of our own."""
    if isinstance(annotation, NewType) or get_origin(annotation) is Literal:
        return True
    return any(_refers(part) for part in get_args(annotation) if part is not type(None))
