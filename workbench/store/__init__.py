"""The SQLite store: one writer lane with group commit, readers, migrations, search, blobs, repair."""

from workbench.store.account import SqliteAccountStore, open_account_store
from workbench.store.store import SqliteStore, open_store

__all__ = ["SqliteAccountStore", "SqliteStore", "open_account_store", "open_store"]
