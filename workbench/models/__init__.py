"""Models behind one port: a script that is played, the person at the window, and the real providers."""
