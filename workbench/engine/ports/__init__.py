"""The ports: what the engine needs from the world, as protocols that adapters fill.

A store keeps histories, a host runs code, a vault keeps secrets, a model answers. Each has one contract test suite in
`tests/contracts`, run against every implementation and against the doubles of `workbench.engine.doubles`.
"""

from workbench.engine.ports.hosts import (
    CallLink,
    CodeRunner,
    CodeSession,
    Died,
    HostAnswer,
    HostCall,
    Raised,
    Returned,
    ReturnedAttachment,
    ScriptRunner,
    StateError,
    Stopped,
    ToolHost,
    Unavailable,
)
from workbench.engine.ports.models import Asker, ModelAccess, ModelError, ModelPort
from workbench.engine.ports.secrets import SecretKey, SecretVault, VaultState
from workbench.engine.ports.store import AccountStore, PartOfFile, Snapshot, Store, StoredFile

__all__ = [
    "AccountStore",
    "Asker",
    "CallLink",
    "CodeRunner",
    "CodeSession",
    "Died",
    "HostAnswer",
    "HostCall",
    "ModelAccess",
    "ModelError",
    "ModelPort",
    "PartOfFile",
    "Raised",
    "Returned",
    "ReturnedAttachment",
    "ScriptRunner",
    "SecretKey",
    "SecretVault",
    "Snapshot",
    "StateError",
    "Stopped",
    "Store",
    "StoredFile",
    "ToolHost",
    "Unavailable",
    "VaultState",
]
