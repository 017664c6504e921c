"""The live panel: the calls of this session from first sight to result."""
