"""The document of a code pad: code with its options and tools above, what it writes and gives below."""
