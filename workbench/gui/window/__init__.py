"""A window around a project: its frame, bars and panels, what is open in it, and where else to go."""
