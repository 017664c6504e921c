"""Asking models: what a stream adds up to, when a call in it starts, and what is tried when a model fails."""
