"""Two threads side by side: the document, how its rows are painted, how the two are chosen."""
