"""The start of a worker, readable by any Python, so that one that is too old can say so in words."""

from workbench.worker.program import main

main()
