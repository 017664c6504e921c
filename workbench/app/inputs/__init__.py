"""What stands around the form of a tool: inputs that are kept, walked, made up, pasted and copied."""
