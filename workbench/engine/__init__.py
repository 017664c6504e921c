"""What happens when a tool is called, and the ports through which it happens."""
