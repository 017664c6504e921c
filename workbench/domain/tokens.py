"""The token that callers of a server send: where it is given, and what can be one."""

import re

TOKEN = re.compile(r"[\x21-\x7e]{8,}")
"""What can be a token: it is sent in a header."""
TOKEN_VARIABLE = "WORKBENCH_TOKEN"
"""The variable of the environment that it is read from, by servers and by callers."""
