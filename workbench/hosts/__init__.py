"""Where code runs, behind the one `ToolHost` port: Python worker processes in the project's interpreter."""
