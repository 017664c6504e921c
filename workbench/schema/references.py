"""Finds what a `$ref` inside one document names, whatever the spelling, and never walks in circles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast
from urllib.parse import unquote, urldefrag, urljoin

from workbench.base.json_pointer import tokens
from workbench.schema.keywords import at, walk

Schema = Mapping[str, object]


def resolve(schema: Schema, root: Schema) -> Schema:
    """`schema` with its `$ref` (and that of what it names, and so on) replaced by what it names.

    What stands beside a `$ref` wins over what it names. A reference that leads nowhere, to a mere true or
    false, or back to itself is left out.
    """
    merged = schema
    seen: set[str] = set()
    while isinstance(reference := merged.get("$ref"), str):
        siblings = {keyword: value for keyword, value in merged.items() if keyword != "$ref"}
        target = None if reference in seen else resolve_ref(reference, root)
        seen.add(reference)
        merged = {**cast("Schema", target), **siblings} if isinstance(target, Mapping) else siblings
    return merged


def resolve_ref(reference: str, root: Schema) -> object:
    """The schema that a reference names within `root`: a mapping, true or false, or None for none.

    Pointers may be percent-encoded (`#/$defs/a~1b%20c`); anchors and embedded `$id`s are found, too.
    """
    address, _, fragment = reference.partition("#")
    document = _with_id(root, address) if address else root
    fragment = unquote(fragment)
    if fragment and not fragment.startswith("/"):
        return _with_anchor(document, fragment)
    return _at_pointer(document, fragment)


def _at_pointer(document: object, text: str) -> object:
    here = document
    for name in tokens(text):
        here = at(here, [int(name) if isinstance(here, list) and name.isascii() and name.isdigit() else name])
    return cast("object", here) if isinstance(here, Mapping | bool) else None


def _with_id(root: Schema, address: str) -> object:
    base = root.get("$id")
    base = base if isinstance(base, str) else ""
    address = urljoin(base, address)
    for _, schema in walk(root):
        own = schema.get("$id")
        if isinstance(own, str) and urldefrag(urljoin(base, own)).url == address:
            return schema
    return None


def _with_anchor(document: object, name: str) -> object:
    for _, schema in walk(document):
        if name in (schema.get("$anchor"), schema.get("$dynamicAnchor")) or schema.get("$id") == f"#{name}":
            return schema
    return None
