"""F1, what serves on this machine, for people who ask."""

from __future__ import annotations

import platform
from typing import Any, Literal

import numpy as np

from .. import _validation
from . import _compiled
from ._blocks import MOST_COMPILED_THREADS, MOST_THREADS, thread_count


def show_config(mode: Literal["stdout", "dict"] = "stdout") -> dict[str, Any] | None:
    """Show which kernels are in use, with how many threads and which instruction set.

    Parameters
    ----------
    mode : {"stdout", "dict"}, default="stdout"
        Print, or return a dictionary.

    Returns
    -------
    configuration : dict or None
        Keys ``backend`` ("compiled" or "portable"), ``reason`` (why it is the portable one, else None),
        ``instructions`` (the instruction set of the compiled kernels), ``threads`` (of a large array, from here),
        ``numpy`` and ``python`` (versions).

    Raises
    ------
    ValueError
        For another mode.

    Examples
    --------
    >>> import sknorm
    >>> sknorm.show_config(mode="dict")["backend"] in ("compiled", "portable")
    True
    """
    if mode not in ("stdout", "dict"):
        raise _validation.no_such_mode(mode)
    compiled = _compiled.native
    configuration = {
        "backend": "portable" if compiled is None else "compiled",
        "reason": _compiled.why_not or None,
        "instructions": None if compiled is None else compiled.instructions(),
        "threads": min(thread_count(), MOST_THREADS if compiled is None else MOST_COMPILED_THREADS),
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    if mode == "dict":
        return configuration
    for name, value in configuration.items():
        if value is not None:
            print(f"{name + ':':14}{value}")
    return None
