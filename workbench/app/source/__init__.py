"""Source files as a person edits them in the window: read, kept, saved, followed on disk, coloured."""
