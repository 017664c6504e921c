"""Who may call a project's server with a token of their own: named in the settings, known by a secret (H7)."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.base.errors import UserError
from workbench.domain.auth import Auth
from workbench.domain.connections import REFERENCE
from workbench.domain.tokens import TOKEN
from workbench.domain.variables import VariableType
from workbench.engine.variables import Layers, Variables
from workbench.project.settings import CallerSettings


async def callers_by_token(callers: Mapping[str, CallerSettings], variables: Variables) -> Mapping[str, Auth]:
    """Each caller by its token. Raises UserError where a variable holds none, or that of another caller."""
    found: dict[str, Auth] = {}
    for name, caller in callers.items():
        variable = REFERENCE.sub(r"\1", caller.token or "")
        value = await variables.resolve(variable, Layers())
        if value.value is None or value.type is not VariableType.SECRET:
            raise UserError(
                f"The server's caller {name} has no token: there is no secret {variable}.",
                hint=f"Set it with `workbench var set {variable}`, or take [server.callers.{name}] out of "
                "workbench.toml.",
            )
        if not TOKEN.fullmatch(value.value):
            raise UserError(
                f"The secret {variable} is no token: at least 8 printable characters without spaces.",
                hint=f"Set another one with `workbench var set {variable}`.",
            )
        if value.value in found:
            raise UserError(
                f"The server's callers {name} and {found[value.value].principal} have the same token.",
                hint="Each needs one of their own: it is what they are told apart by.",
            )
        found[value.value] = Auth(principal=name, attributes=caller.attributes)
    return found
