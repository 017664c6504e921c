"""The life of one call: its stages in order, and the turn in which calls follow one another."""
