"""Histories out of the window as one file, and in from one."""
