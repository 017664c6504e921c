"""The command line: `workbench` and its commands, tables for people and JSON for programs."""
