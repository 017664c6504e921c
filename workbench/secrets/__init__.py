"""Where secrets live: the system's keyring, the session's memory, the environment."""
