"""Threads: agents that run, a step at a time, on the calls of `workbench.engine.calls`."""
