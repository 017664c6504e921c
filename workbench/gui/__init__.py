"""The window: widgets over values that `app` gives, with one bridge to the engine's thread."""
