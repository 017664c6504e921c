"""Who a call is for: what its code is told, and what of that may be kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from workbench.base.exact_json import JsonValue
from workbench.domain.auth import LOCAL, Auth
from workbench.engine.calls.running import RunningCall
from workbench.engine.services import Services


def session_auth(call: RunningCall) -> Auth:
    """Whom the call's session was begun for; who asks, where that is nobody in particular."""
    owner = call.thread.auth
    return owner if owner.principal != LOCAL else call.request.auth


def masked(services: Services, auth: Auth) -> Auth:
    """As it may be kept (V6)."""
    attributes = services.variables.masker.mask_json(cast("JsonValue", dict(auth.attributes)))
    return auth.model_copy(update={"attributes": cast("Mapping[str, object]", attributes)})
