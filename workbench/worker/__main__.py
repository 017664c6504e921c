"""The start of a worker, readable by any Python, so that one that is too old can say so in words."""

import gc
import sys

if sys.version_info < (3, 9):  # noqa: UP036  (an older one gets here, and no further)
    sys.stderr.write("This is Python %s; tools need Python 3.9 or later.\n" % sys.version.split()[0])  # noqa: UP031
    sys.exit(78)

gc.disable()  # all that is imported now stays

from workbench.worker.program import main  # noqa: E402  (not before this Python is known to be new enough)

main()
