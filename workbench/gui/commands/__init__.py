"""Everything that can be asked for: one table, and the palette and the page of keys that are made from it."""
