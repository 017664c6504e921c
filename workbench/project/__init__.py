"""A project folder: what it holds, how it is set up, which interpreter runs it, and what changes in it."""
