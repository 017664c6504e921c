"""Replays: threads that are given once more what came to another one from outside, and perhaps what it got (T22)."""
