"""Names what has grown past the soft limits, so that it is split while that is easy: `python -m` this module."""

from __future__ import annotations

from tests.architecture.tree import PACKAGE, ROOT, functions, length, parsed, python_files

MODULE, WIDGET, FUNCTION = 350, 300, 35


def main() -> None:
    """Print one line per module and function; never fails."""
    for path in python_files(PACKAGE):
        name = path.relative_to(ROOT)
        if length(path) > (WIDGET if path.is_relative_to(PACKAGE / "gui") else MODULE):
            print(f"soft limit: {name} has {length(path)} lines")
        for function, node in functions(parsed(path)):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION:
                print(f"soft limit: {name}:{node.lineno} {function} has {lines} lines")


if __name__ == "__main__":
    main()
