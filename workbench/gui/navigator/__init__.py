"""The navigator: what a project holds, found by typing."""
