"""The form of a tool: the fields of its arguments as rows and as JSON, and what is done to the whole of them."""
