"""Past calls: lists of them, one whole, any two side by side, and what can be asked about them."""
