"""Linear algebra of the host in one thread."""

from __future__ import annotations

import os
import re
from functools import cache

from threadpoolctl import ThreadpoolController

from halfseen.machine.shared_context import SharedContext


class _LinearAlgebra(ThreadpoolController):  # type: ignore[misc]
    """Pools of threads of libraries that are called like one of linear algebra.

    All others would be looked at on disk, a quarter of a second's work where a process has hundreds
    of libraries. Should threadpoolctl come to look for them in another way, it takes that long.
    """

    def _make_controller_from_path(self, filepath: str) -> None:
        if _MAY_BE_LINEAR_ALGEBRA.search(os.path.basename(filepath).lower()):
            super()._make_controller_from_path(filepath)


_MAY_BE_LINEAR_ALGEBRA = re.compile("blas|blis|mkl|lapack|atlas|accelerate|armpl|nvpl")


@cache
def thread_pools() -> ThreadpoolController:
    """The pools of threads of the libraries of linear algebra.

    Looked for once: that takes longer than a round, and much longer while another thread is busy
    with Python.
    """
    return _LinearAlgebra()


# Linear algebra without threads: meeting after every small matrix costs more than it saves. Several
# fits may be within it at a time.
one_thread = SharedContext(lambda: thread_pools().limit(limits=1, user_api="blas"))
