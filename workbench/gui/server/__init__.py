"""The project's own server in the window: started, stopped, and what it was asked."""
