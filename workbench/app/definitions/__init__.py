"""The definitions of a project: kept true to its files, made from templates, told in short facts."""
