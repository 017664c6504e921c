"""Frozen values: what a definition, a call, a thread, an event is. No input, no output, no clock."""
