"""Where a call came from that was imported: kept with it, and left out when it is handed on."""

from __future__ import annotations

from workbench.domain.calls import Call
from workbench.domain.threads import Imported

_KEY = "imported"


def with_origin(call: Call, origin: Imported | None) -> Call:
    """The call as one that was imported so; with None as one that was made here."""
    metadata = {name: value for name, value in call.metadata.items() if name != _KEY}
    if origin is not None:
        metadata[_KEY] = origin.to_json()
    return call.model_copy(update={"metadata": metadata})


def origin_of(call: Call) -> Imported | None:
    """When a call was imported and from which project; None for one that was made here."""
    kept = call.metadata.get(_KEY)
    return None if kept is None else Imported.model_validate(kept)
