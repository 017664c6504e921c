"""Variables as manual calls see them: their table, their values, `.env` files."""
