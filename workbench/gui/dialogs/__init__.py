"""Dialogs that stand beside the work: what is asked, and settings that need no document."""
