"""The source editor: writing, finding, problems in the margin, and what others do to the file meanwhile."""
