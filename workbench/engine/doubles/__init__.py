"""Test doubles of the ports, shipped so that those who build on the engine can test against them, too."""
