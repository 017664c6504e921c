"""The inspector: what does not fit the row or the document of whatever is looked at."""
