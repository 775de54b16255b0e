"""Speed against the machine's limit and against peers, measured in one run.

Run with ``python benchmarks/speed.py``; ``--help`` shows the options. With ``--threads 1`` the
process keeps to one core, and every library and process that it starts with it.
"""

from __future__ import annotations

import os
import sys


def keep_to_cores(words: list[str]) -> None:
    """Heed ``--threads`` before any library is imported: most count the cores only once."""
    if "--threads" in words[:-1] and hasattr(os, "sched_setaffinity"):
        n_threads = int(words[words.index("--threads") + 1])
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, allowed[-n_threads:])


if __name__ == "__main__":
    keep_to_cores(sys.argv)
    from speed.command import main

    sys.exit(main())
