"""Calls as a person or a program makes them and finds them again."""
