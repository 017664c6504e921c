"""An open project as the window reaches it: through one bridge to the engine's thread."""
