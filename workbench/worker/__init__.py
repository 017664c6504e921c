"""The program that runs an author's definitions inside the interpreter of the project, apart from Workbench itself.

Standard library only and Python 3.9 or later. The engine's side of it lives in `workbench.hosts`.
"""
