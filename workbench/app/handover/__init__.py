"""Histories handed over: out as one file or as a page to read, and in from such a file."""
