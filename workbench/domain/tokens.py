"""The token that callers of a server send: where it is given."""

TOKEN_VARIABLE = "WORKBENCH_TOKEN"
"""The variable of the environment that it is read from, by servers and by callers."""
