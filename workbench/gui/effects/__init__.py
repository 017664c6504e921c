"""Scheduled effects: the list of them, and one that is looked at."""
