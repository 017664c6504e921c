"""What a call gave, to be read, searched, compared and kept."""
