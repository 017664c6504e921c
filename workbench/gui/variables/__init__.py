"""Variables in the window: the table of them, one alone, and setting them."""
